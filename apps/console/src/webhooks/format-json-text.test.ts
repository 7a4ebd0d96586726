import { expect, test } from 'vitest'
import { formatJsonText } from './format-json-text.ts'

test('JSON is formatted, other text is unchanged', () => {
  expect(formatJsonText({ a: 1 })).toBe('{\n  "a": 1\n}')
  expect(formatJsonText('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(formatJsonText('<h1>Bad gateway')).toBe('<h1>Bad gateway')
})
