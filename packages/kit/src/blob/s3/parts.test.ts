import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { cutBytes } from '../../testing/bytes.ts'
import { partBytes, partsOf } from './parts.ts'

const content = randomBytes(2 * partBytes + 1)

test.each([
  ['nothing', 0, 1000, [0]],
  ['a little', 5, 2, [5]],
  ['one part', partBytes, 65_536, [partBytes]],
  ['a byte more', partBytes + 1, 70_000, [partBytes, 1]],
  ['one chunk of two parts', 2 * partBytes, 2 * partBytes, [partBytes, partBytes]],
  ['three parts', 2 * partBytes + 1, 300_000, [partBytes, partBytes, 1]],
])(
  '%s is cut where it has to be, in the buffers that are spare',
  async (_, size, step, lengths) => {
    const bytes = content.subarray(0, size)
    const spare: Buffer[] = []
    const seen: { length: number; isWhole: boolean }[] = []
    const hash = createHash('sha256')
    for await (const part of partsOf(cutBytes(bytes, step), spare)) {
      hash.update(part.bytes)
      seen.push({ length: part.bytes.length, isWhole: part.isWhole })
      if (part.bytes.length === partBytes) spare.push(part.bytes)
    }
    expect(seen).toEqual(lengths.map((length) => ({ length, isWhole: lengths.length === 1 })))
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
  },
)
