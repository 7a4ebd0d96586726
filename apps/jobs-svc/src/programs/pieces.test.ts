import { expect, test } from 'vitest'
import { splitLinesOf } from './pieces.ts'

async function* piecesOf(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

async function readLines(pieces: AsyncIterable<Buffer>, longest?: number): Promise<string[]> {
  const lines: string[] = []
  for await (const batch of splitLinesOf(pieces, longest)) lines.push(...batch)
  return lines
}

test('lines do not depend on the cuts between pieces', async () => {
  expect(await readLines(piecesOf('a', 'b\nc', '\n', 'd'))).toEqual(['ab', 'c', 'd'])
})

test('a long line keeps its start, and the lines after it are whole', async () => {
  const long = Array.from({ length: 1000 }, () => 'x'.repeat(100))
  const [line, ...others] = await readLines(piecesOf('begin ', ...long, '\nnext\nlast'), 50)
  expect(line?.startsWith('begin xxx')).toBe(true)
  expect(line?.length).toBeLessThanOrEqual(150)
  expect(others).toEqual(['next', 'last'])
})
