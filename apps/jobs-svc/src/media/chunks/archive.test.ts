import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { frameOf } from '@reticle/contracts/testing/records'
import { sourceOf } from '@reticle/formats/archive/source'
import { openZip } from '@reticle/formats/archive/zip-reader'
import { bytesOf } from '@reticle/kit/testing/bytes'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { gatherBytes } from '../../storage/stored-file.ts'
import { locatedChunk, photo, storedFrame } from '../../testing/chunks.ts'
import { testStore } from '../../testing/run.ts'
import { createImageDecoder } from '../frames/decode.ts'
import type { MediaQuality } from '../frames/query.ts'
import { openImage, toJpeg } from '../image.ts'
import { writeChunkArchive } from './archive.ts'
import { chunkName } from './name.ts'

/** A chunk of pictures is an uncompressed archive in frame order. */

const { blobs } = await testStore()
const deps = { blobs, decode: createImageDecoder(), sideBySide: 2 }

/** Returns the members of the archive of these frames, the first of which is frame 4 of the task. */
async function archived(
  frames: readonly FrameSource[],
  quality: MediaQuality = 'compressed',
  some?: number[],
) {
  const chosen = some && { frames: some }
  const chunk = { ...locatedChunk({ start: 4, stop: 3 + frames.length, chosen }), quality }
  const bytes = await gatherBytes(
    writeChunkArchive(deps, chunk, bytesOf(...frames.map(encodeFrame))),
  )
  const zip = await openZip(sourceOf(bytes))
  const members = new Map<string, Buffer>()
  for (const [name, member] of zip.files) members.set(name, Buffer.from(await zip.bytes(member)))
  const isStored = [...zip.files.values()].every((member) => !member.isDeflated)
  return { bytes, members, names: [...members.keys()], isStored }
}

const widthOf = async (bytes: Buffer) => (await sharp(bytes).metadata()).width

test("compressed pictures are upright JPEG of the task's quality, in order", async () => {
  const turned = await sharp(await photo(30, 10))
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const frames = [
    await storedFrame(blobs, await photo(40)),
    await storedFrame(blobs, turned),
    await storedFrame(
      blobs,
      await sharp(await photo(50))
        .png()
        .toBuffer(),
      { name: 'c.png' },
    ),
  ]
  const { members, names, isStored } = await archived(frames)
  expect(names).toEqual(['000000.jpeg', '000001.jpeg', '000002.jpeg'])
  expect(isStored).toBe(true)
  const seen = await Promise.all([...members.values()].map((bytes) => sharp(bytes).metadata()))
  expect(seen.map(({ format, width, height }) => [format, width, height])).toEqual([
    ['jpeg', 40, 20],
    ['jpeg', 10, 30],
    ['jpeg', 50, 20],
  ])
  const alone = await toJpeg(openImage(await photo(40)), 70).toBuffer()
  expect(members.get('000000.jpeg')).toEqual(alone)
})

test('upright originals are unchanged and keep their file name endings', async () => {
  const sources = [await photo(40), Buffer.from('BM no picture'), await photo(60), Buffer.alloc(0)]
  const names = ['a/b.JPG', 'scan.bmp', 'no ending', 'e.of.png']
  const frames = await Promise.all(
    sources.map((bytes, index) =>
      storedFrame(blobs, bytes, { name: names[index], media_type: 'image/webp' }),
    ),
  )
  const { members, isStored } = await archived(frames, 'original')
  expect([...members]).toEqual([
    ['000000.JPG', sources[0]],
    ['000001.bmp', sources[1]],
    ['000002.webp', sources[2]],
    ['000003.png', sources[3]],
  ])
  expect(isStored).toBe(true)
})

test.each([1, 3, 6, 8])(
  'an original of orientation %i has the pixels of its frame',
  async (orientation) => {
    const stored = await sharp(await photo(30, 10))
      .withMetadata({ orientation })
      .toBuffer()
    const { members } = await archived([await storedFrame(blobs, stored)], 'original')
    const [chunked = Buffer.alloc(0)] = members.values()
    const seen = await sharp(chunked).metadata()
    expect([seen.width, seen.height]).toEqual(orientation > 4 ? [10, 30] : [30, 10])
    expect(seen.orientation ?? 1).toBe(1)
    expect(chunked.equals(stored)).toBe(orientation === 1)
  },
)

test('an undecodable original with an orientation is unchanged', async () => {
  const stored = await sharp(await photo(30, 10))
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const broken = stored.subarray(0, stored.length - 40)
  const { members } = await archived([await storedFrame(blobs, broken)], 'original')
  expect([...members.values()]).toEqual([broken])
})

test.each(['original', 'compressed'] as const)(
  'the same %s frames make the same bytes',
  async (quality) => {
    const frames = [
      await storedFrame(blobs, await photo(40)),
      await storedFrame(blobs, await photo(9)),
    ]
    const first = await archived(frames, quality)
    const noTime = 0x00210000 // the first day that an archive can express
    expect(first.bytes.readUInt32LE(10)).toBe(noTime)
    expect((await archived(frames, quality)).bytes).toEqual(first.bytes)
  },
)

test('an archive of some frames contains only those', async () => {
  const frames = await Promise.all(
    [10, 11, 12, 13].map(async (width) => storedFrame(blobs, await photo(width))),
  )
  const { members, names } = await archived(frames, 'compressed', [5, 7])
  expect(names).toEqual(['000000.jpeg', '000001.jpeg'])
  expect(await Promise.all([...members.values()].map(widthOf))).toEqual([11, 13])
})

test('an undecodable picture neither hides others nor changes their places', async () => {
  const whole = await photo(40)
  const broken = whole.subarray(0, whole.length / 2)
  const packed = { packing: 'deflated' as const, name: 'never-inflates.jpg' }
  const frames = [
    await storedFrame(blobs, broken),
    await storedFrame(blobs, 'no deflate stream', packed),
    await storedFrame(blobs, whole),
  ]
  const { members } = await archived(frames)
  expect([...members.values()].slice(0, 2)).toEqual([broken, Buffer.alloc(0)])
  expect(await widthOf(members.get('000002.jpeg') ?? broken)).toBe(40)
})

test('a missing object is an error, and so is an original that cannot be unpacked', async () => {
  const gone = [frameOf({ key: 'requests/uploads/gone' })]
  for (const quality of ['original', 'compressed'] as const)
    await expect(archived(gone, quality)).rejects.toMatchObject({ kind: 'not_found' })
  const packed = [await storedFrame(blobs, 'no deflate stream', { packing: 'deflated' })]
  await expect(archived(packed, 'original')).rejects.toMatchObject({ code: 'image_undecodable' })
})

test('memory holds at most as many pictures as are made at the same time', async () => {
  let open = 0
  let most = 0
  const counting = async (read: () => Promise<Buffer>) => {
    most = Math.max(most, ++open)
    const bytes = await read()
    await new Promise((resolve) => setTimeout(resolve, 1))
    open -= 1
    return bytes
  }
  const frame = encodeFrame(await storedFrame(blobs, 'x'))
  const chunk = { ...locatedChunk({ stop: 49 }), quality: 'compressed' as const }
  const lines = bytesOf(...Array.from({ length: 50 }, () => frame))
  await gatherBytes(writeChunkArchive({ ...deps, decode: counting, sideBySide: 3 }, chunk, lines))
  expect(most).toBe(3)
})

test.each([
  ['compressed', ['000000.jpeg', '000001.jpeg', '000002.jpeg', '000003.jpeg']],
  ['original', ['000000.jpeg', '000001.jpg', '000002.jpeg', '000003.jpeg']],
] as const)(
  '%s frames keep their places when placeholders replace others',
  async (quality, expected) => {
    const frames = await Promise.all(
      [40, 50, 60, 70].map(async (width) =>
        storedFrame(blobs, await photo(width), { name: 'a.jpg' }),
      ),
    )
    const located = locatedChunk({
      start: 4,
      stop: 7,
      chosen: { frames: [5] },
      has_placeholders: true,
    })
    const lines = bytesOf(...frames.map(encodeFrame))
    const zip = await openZip(
      sourceOf(await gatherBytes(writeChunkArchive(deps, { ...located, quality }, lines))),
    )
    expect([...zip.files.keys()]).toEqual(expected)
    const widths = []
    for (const member of zip.files.values())
      widths.push(await widthOf(Buffer.from(await zip.bytes(member))))
    expect(widths).toEqual([1, 50, 1, 1])
  },
)

test('chunks with and without placeholders have different names', () => {
  const located = locatedChunk({ start: 4, stop: 7, chosen: { frames: [5] } })
  const quality = 'compressed' as const
  expect(chunkName({ ...located, quality, has_placeholders: true })).not.toBe(
    chunkName({ ...located, quality }),
  )
})
