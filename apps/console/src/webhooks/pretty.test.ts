import { expect, test } from 'vitest'
import { pretty } from './pretty.ts'

test('JSON is laid out, other text is left as it is', () => {
  expect(pretty({ a: 1 })).toBe('{\n  "a": 1\n}')
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(pretty('<h1>Bad gateway')).toBe('<h1>Bad gateway')
})
