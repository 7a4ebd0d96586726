import { expect, test } from 'vitest'
import { pretty } from './pretty.ts'

test('JSON is formatted, other text is unchanged', () => {
  expect(pretty({ a: 1 })).toBe('{\n  "a": 1\n}')
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(pretty('<h1>Bad gateway')).toBe('<h1>Bad gateway')
})
