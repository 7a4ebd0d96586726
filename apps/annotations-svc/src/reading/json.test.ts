import type { AnnotationRow } from '@reticle/contracts/row-lines'
import { countTurns } from '@reticle/kit/testing/turns'
import { expect, test } from 'vitest'
import { setBytes } from './json.ts'

const columns = [
  ...['0', '40', '1', '0', '0', '0', '1', '0', '0', 'f', 'f'],
  ...['1,2,3,4', '[]', '[]'],
]
const rows = (count: number): AnnotationRow[] =>
  Array.from({ length: count }, () => ({ kind: 'shape', columns }))

test.each([
  ['many batches that are ready', Array.from({ length: 100 }, () => rows(1000))],
  ['one batch of all rows', [rows(100_000)]],
  ['few batches', [rows(50_000), rows(50_000)]],
  ['many small batches', Array.from({ length: 20_000 }, () => rows(5))],
])('writing %s yields to the event loop', async (_name, batches) => {
  const pieces: Uint8Array[] = []
  const turns = await countTurns(async () => {
    for await (const piece of setBytes([['shape', batches]])) pieces.push(piece)
  })
  expect(JSON.parse(Buffer.concat(pieces).toString()).shapes).toHaveLength(100_000)
  expect(turns).toBeGreaterThan(3)
})
