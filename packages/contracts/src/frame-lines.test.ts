import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeFrames, encodeFrame } from './frame-lines.ts'
import type { FrameSource } from './rest/media.ts'

const frame: fc.Arbitrary<FrameSource> = fc.record({
  name: fc.string({ unit: 'grapheme', maxLength: 12 }),
  width: fc.nat(),
  height: fc.nat(),
  key: fc.string(),
  offset: fc.nat(),
  length: fc.nat(),
  packing: fc.constantFrom('stored' as const, 'deflated' as const),
  media_type: fc.string(),
})

test('written frames are read unchanged for any cuts of the stream', async () => {
  const frames = fc.array(frame, { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(frames, fc.integer({ min: 1, max: 100 }), async (list, size) => {
      expect(await read(list.map(encodeFrame).join(''), size)).toEqual(list)
    }),
  )
})

const some: FrameSource = {
  name: 'a.png',
  width: 4,
  height: 3,
  key: 'k',
  offset: 0,
  length: 9,
  packing: 'stored',
  media_type: 'image/png',
}

test('the last line may lack its line feed', async () => {
  expect(await read(encodeFrame(some).trimEnd())).toEqual([some])
})

test.each([
  ['a member that is wrong', JSON.stringify({ ...some, width: 1.5 }), /^Line 3 .* no frame: width/],
  ['text that is no JSON', '{"name":', /^Line 3 .* no frame: the line/],
  ['an empty line', '', /^Line 3 .* no frame: the line/],
])('the error about %s names its line', async (_, line, message) => {
  const text = `${encodeFrame(some)}${encodeFrame(some)}${line}\n`
  await expect(read(text)).rejects.toThrow(message)
})

test('an endless line is rejected', async () => {
  await expect(read('a'.repeat(1_100_000), 65_536)).rejects.toThrow('is too long')
})

async function read(text: string, size = 1000): Promise<FrameSource[]> {
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  const frames: FrameSource[] = []
  for await (const batch of decodeFrames(pieces)) frames.push(...batch)
  return frames
}
