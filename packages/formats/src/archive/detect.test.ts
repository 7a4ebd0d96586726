import { expect, test } from 'vitest'
import { detectContainer } from './detect.ts'
import { readAhead, readPieces, sourceOf } from './source.ts'

test.each([
  ['PK\x03\x04...', 'zip'],
  ['PK\x05\x06', 'zip'],
  ['  {"a":1}', 'json'],
  ['[1]', 'json'],
  ['\ufeff{}', 'json'],
  ['\ufeff<a/>', 'xml'],
  ['\n<?xml', 'xml'],
  ['GIF89a', 'unknown'],
  ['', 'unknown'],
])('the container of %j is detected as %s', async (text, container) => {
  expect(await detectContainer(sourceOf(Buffer.from(text)))).toBe(container)
})

test('adjacent small reads share one read of the source', async () => {
  const bytes = Buffer.from('0123456789'.repeat(10))
  const reads: [number, number][] = []
  const source = {
    size: bytes.length,
    read: async (start: number, end: number) => {
      reads.push([start, end])
      return bytes.subarray(start, end)
    },
  }
  const ahead = readAhead(source, 40)
  const read = async (start: number, end: number): Promise<string> =>
    Buffer.from(await ahead.read(start, end)).toString()
  expect([await read(0, 3), await read(3, 10), await read(35, 45), await read(95, 100)]).toEqual([
    '012',
    '3456789',
    '5678901234',
    '56789',
  ])
  expect(reads).toEqual([
    [0, 40],
    [35, 75],
    [95, 100],
  ])
  const pieces: number[] = []
  for await (const piece of readPieces(source, 10, 95, 40)) pieces.push(piece.length)
  expect(pieces).toEqual([40, 40, 5])
})

test('the next piece is prefetched; an error in a prefetched piece that is never consumed is ignored', async () => {
  const reads: number[] = []
  const source = {
    size: 30,
    read: async (start: number, end: number) => {
      reads.push(start)
      if (start === 20) throw new Error('away')
      return Buffer.alloc(end - start)
    },
  }
  const read = async (pieces: number): Promise<void> => {
    for await (const _ of readPieces(source, 0, 30, 10)) if (reads.length === pieces) break
  }
  await read(3)
  expect(reads).toEqual([0, 10, 20])
  await expect(read(0)).rejects.toThrow('away')
})

test('scattered reads fetch only the requested bytes; concurrent reads share one block', async () => {
  const reads: [number, number][] = []
  let isBroken = false
  const source = {
    size: 10_000,
    read: async (start: number, end: number) => {
      reads.push([start, end])
      if (isBroken) throw new Error('away')
      return Buffer.alloc(end - start, start % 251)
    },
  }
  const ahead = readAhead(source, 100)
  for (const start of [5000, 200, 8000, 210, 9000]) await ahead.read(start, start + 5)
  expect(reads.map(([start, end]) => end - start)).toEqual([5, 5, 5, 5, 5])
  reads.length = 0
  await Promise.all([9005, 9010, 9015, 9020, 9025].map((start) => ahead.read(start, start + 5)))
  expect(reads).toEqual([
    [9005, 9010],
    [9010, 9015],
    [9015, 9115],
  ])
  isBroken = true
  await expect(ahead.read(9200, 9205)).rejects.toThrow('away')
  isBroken = false
  expect(await ahead.read(9200, 9205)).toHaveLength(5)
})
