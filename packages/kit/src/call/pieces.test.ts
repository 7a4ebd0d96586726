import { expect, test } from 'vitest'
import { cutBytes, joinTexts, pieceBytes } from './pieces.ts'

test('bytes are split into pieces of at most 64 KiB', () => {
  const bytes = Buffer.alloc(2 * pieceBytes + 1)
  expect([...cutBytes(bytes)].map((one) => one.length)).toEqual([pieceBytes, pieceBytes, 1])
  expect([...cutBytes(Buffer.alloc(0))]).toEqual([])
})

test('short texts are joined into pieces without loss', async () => {
  async function* lines() {
    for (let n = 0; n < 20_000; n++) yield `Zeile ${n} ü\n`
  }
  const pieces: Buffer[] = []
  for await (const piece of joinTexts(lines())) pieces.push(piece)
  const wanted: string[] = []
  for await (const line of lines()) wanted.push(line)
  expect(Buffer.concat(pieces).toString()).toBe(wanted.join(''))
  expect(pieces.length).toBeLessThan(10)
})
