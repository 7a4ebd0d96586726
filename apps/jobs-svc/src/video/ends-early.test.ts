import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clip, writeClip } from '@reticle/kit/testing/video/clips'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endsEarly } from './ends-early.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reticle-cuts-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Returns whether a file of these bytes ends early. */
async function early(bytes: Uint8Array): Promise<boolean> {
  const path = join(folder, 'tried')
  await writeFile(path, bytes)
  return endsEarly(path)
}

async function bytesOf(name: string, clip: Partial<Clip>): Promise<Buffer> {
  writeClip(join(folder, name), { frames: 4, ...clip })
  return readFile(join(folder, name))
}

test.each([
  ['index first.mov', { codec: 'h264', hasSound: true, fileOptions: { movflags: 'faststart' } }],
  ['index last.mp4', { codec: 'h264' }],
  ['chunks.avi', { codec: 'mpeg4' }],
] as const)('%s that is cut anywhere but between two boxes ends early', async (name, clip) => {
  const whole = await bytesOf(name, clip)
  expect(await early(whole)).toBe(false)
  const ends = new Set(boxEnds(whole))
  const path = join(folder, name)
  for (let length = whole.length - 1; length >= 16; length -= 1) {
    if (ends.has(length) || isHeadOnly(length, ends)) continue
    await truncate(path, length)
    if (!(await endsEarly(path))) expect.fail(`cut after ${length} of ${whole.length} bytes`)
  }
})

test('a 64-bit box that is cut off ends early, a box without a length does not', async () => {
  const head = Buffer.concat([box('ftyp', 16), Buffer.alloc(8)])
  const long = box('mdat', 1)
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(5_000_000_000n)
  expect(await early(Buffer.concat([head, long, length, Buffer.alloc(100)]))).toBe(true)
  expect(await early(Buffer.concat([head, box('mdat', 0), Buffer.alloc(100)]))).toBe(false)
})

test('files without outermost parts do not end early: Matroska, text, garbage after a box, empty files', async () => {
  const mkv = await bytesOf('clusters.mkv', { codec: 'h264' })
  expect(await early(mkv.subarray(0, mkv.length / 2))).toBe(false)
  expect(await early(Buffer.from('a text of many words'))).toBe(false)
  expect(await early(Buffer.concat([box('ftyp', 8), Buffer.alloc(40, 0xff)]))).toBe(false)
  expect(await early(Buffer.alloc(0))).toBe(false)
})

function box(kind: string, length: number): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(length)
  head.write(kind, 4, 'latin1')
  return head
}

/** Returns the ends of the boxes of an MP4; an AVI has only one part. */
function boxEnds(whole: Buffer): number[] {
  if (whole.toString('latin1', 0, 4) === 'RIFF') return []
  const ends: number[] = []
  for (let at = 0; at < whole.length; at += whole.readUInt32BE(at)) ends.push(at)
  return ends
}

/** Whether a cut leaves fewer bytes behind a box than the header of the next one needs. */
const isHeadOnly = (length: number, ends: ReadonlySet<number>) =>
  [1, 2, 3, 4, 5, 6, 7].some((bytes) => ends.has(length - bytes))
