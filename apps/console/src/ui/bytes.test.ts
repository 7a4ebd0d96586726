import { expect, test } from 'vitest'
import { bytesText } from './bytes.ts'

test('sizes have a suitable unit', () => {
  const texts = [0, 999, 1000, 1_540_000, 250_000_000, 999_600_000].map(bytesText)
  expect(texts).toEqual(['0 B', '999 B', '1.0 kB', '1.5 MB', '250 MB', '1.0 GB'])
})
