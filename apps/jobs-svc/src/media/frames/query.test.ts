import { expect, test } from 'vitest'
import { parseMediaQuery } from './query.ts'

/** Parsing of queries for media, and errors for missing parameters. */

test.each([
  [
    { type: 'frame', number: 3 },
    { type: 'frame', number: 3, quality: 'compressed' },
  ],
  [
    { type: 'frame', number: 0, quality: 'original' },
    { type: 'frame', number: 0, quality: 'original' },
  ],
  [
    { type: 'preview', number: 5 },
    { type: 'preview', number: 5 },
  ],
  [
    { type: 'context_image', number: 2 },
    { type: 'context_image', number: 2 },
  ],
  [
    { type: 'chunk', number: 1 },
    { type: 'chunk', place: { number: 1 }, quality: 'compressed' },
  ],
  [
    { type: 'chunk', index: 0 },
    { type: 'chunk', place: { index: 0 }, quality: 'compressed' },
  ],
])('%j is parsed', (asked, wanted) => {
  expect(parseMediaQuery({ id: 1, ...asked })).toEqual(wanted)
})

test.each([
  [{ number: 0 }, 'Data type not specified or not supported'],
  [{ type: 'video', number: 0 }, "supported types are 'chunk', 'frame' and 'context_image'"],
  [{ type: 'frame' }, 'Number is not specified'],
  [{ type: 'frame', index: 0 }, 'Number is not specified'],
  [{ type: 'preview' }, 'Number is not specified'],
  [{ type: 'preview', index: 0 }, 'Number is not specified'],
  [{ type: 'context_image' }, 'Number is not specified'],
  [{ type: 'chunk' }, 'Number is not specified'],
  [{ type: 'chunk', number: 0, index: 0 }, 'A chunk has a number or an index'],
  [{ type: 'frame', number: 0, quality: 'best' }, 'Wrong quality value'],
  [{ type: 'chunk', number: 0, quality: '' }, 'Wrong quality value'],
])('%j is refused', (asked, text) => {
  expect(() => parseMediaQuery({ id: 1, ...asked })).toThrow(
    expect.objectContaining({ kind: 'invalid', body: [expect.stringContaining(text)] }),
  )
})
