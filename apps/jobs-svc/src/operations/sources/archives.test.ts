import { randomBytes } from 'node:crypto'
import zlib, { gzipSync } from 'node:zlib'
import { craftTar, packTar } from '@reticle/formats/testing/tar'
import { unavailable } from '@reticle/kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { readMediaBytes } from '../../media/media-bytes.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { createBitmap, createPreparation, picture } from '../../testing/prepare.ts'
import { uploadFile } from '../../testing/run.ts'

/** Archive kinds other than zip, and limits on unpacking. */

const { blobs, attached, prepare } = await createPreparation()
beforeEach(() => {
  attached.length = 0
})

const small = await picture(8, 6)

const members = {
  'b/2.png': await picture(20, 10, 'png'),
  'a/1.jpg': small,
  'a/notes.txt': 'hello',
  'a/related_images/1_jpg/x.bmp': createBitmap(3, 3),
  'c.bmp': createBitmap(7, 5),
}
const zstdCompress: unknown = Reflect.get(zlib, 'zstdCompressSync')
const isPacker = (given: unknown): given is (bytes: Buffer) => Buffer => typeof given === 'function'
const packers: [string, (bytes: Buffer) => Buffer][] = [
  ['tar', (bytes) => bytes],
  ['tar.gz', (bytes) => gzipSync(bytes)],
  [
    'tar.gz of several parts',
    (bytes) => Buffer.concat([gzipSync(bytes.subarray(0, 700)), gzipSync(bytes.subarray(700))]),
  ],
]
if (isPacker(zstdCompress)) packers.push(['tar.zst', zstdCompress])

test.each(packers)('frames of a %s are read from within it', async (_, pack) => {
  const file = await uploadFile(blobs, 'anything.bin', pack(packTar(members)))
  const { frames, outcome } = await prepare({ files: [file] })
  expect(
    frames.map(({ name, width, height, media_type }) => [name, width, height, media_type]),
  ).toEqual([
    ['a/1.jpg', 8, 6, 'image/jpeg'],
    ['b/2.png', 20, 10, 'image/png'],
    ['c.bmp', 7, 5, 'image/bmp'],
  ])
  const [first] = frames
  for (const frame of frames)
    expect(await gatherBytes(readMediaBytes(blobs, frame))).toEqual(
      Reflect.get(members, frame.name),
    )
  expect(first?.related?.files).toMatchObject([
    { name: 'a/related_images/1_jpg/x.bmp', media_type: 'image/bmp', packing: 'stored' },
  ])
  expect(outcome.report).toMatchObject({ skipped: 1, entries: [{ reason: 'no image' }] })
})

test('a plain tar stays in the upload; a compressed one is unpacked beside it', async () => {
  const plain = await uploadFile(blobs, 'a.tar', packTar(members))
  const kept = await prepare({ files: [plain] })
  expect(new Set(kept.frames.map(({ key }) => key))).toEqual(new Set([plain.key]))

  const packed = await uploadFile(blobs, 'a.tgz', gzipSync(packTar(members)))
  const { frames, work, run } = await prepare({ files: [packed] })
  const keys = new Set(frames.map(({ key }) => key))
  expect(keys).toEqual(new Set([`${work.input_key}made-1/unpacked`]))
  expect(run.stages).toEqual([
    'Reading images',
    'Unpacking the archive',
    'Reading images',
    'final',
    'Creating jobs',
  ])
})

const limits = { entries: 1000, bytes: 5_000_000, ratio: 200 }
const gzip = (bytes: Buffer) => gzipSync(bytes)

describe('an unusable archive fails with one sentence, and leaves no files', () => {
  const cases: [string, () => [string, Buffer][], string][] = [
    ['an empty archive', () => [['a.tar', craftTar([{ name: 'x' }])]], 'No media data found'],
    [
      'an archive that was cut',
      () => [['a.tar', packTar(members).subarray(0, 2000)]],
      'archive is damaged: it was cut off',
    ],
    [
      'a packed archive that was cut',
      () => [['a.tgz', gzip(packTar(members)).subarray(0, -9)]],
      'a.tgz: the archive is damaged or cut off',
    ],
    [
      'a cut archive, packed',
      () => [['a.tgz', gzip(packTar(members).subarray(0, 2000))]],
      'it was cut off',
    ],
    [
      'a packed archive with a wrong checksum',
      () => [['a.tgz', changed(gzip(packTar(members)))]],
      'a.tgz: the archive is damaged',
    ],
    [
      'one packed file',
      () => [['a.jpg.gz', gzip(small)]],
      'a.jpg.gz: what is packed in it is no tar archive',
    ],
    [
      'a path that climbs',
      () => [['a.tar', packTar({ '../a.jpg': small })]],
      'bad path in archive',
    ],
    [
      'a link',
      () => [['a.tar', craftTar([{ name: 'a.jpg', type: '2' }])]],
      'links and devices are not allowed',
    ],
    [
      'a lying size',
      () => [
        [
          'a.tgz',
          gzip(craftTar([{ name: 'a.jpg', size: 9000, content: small, isUnpadded: true }])),
        ],
      ],
      'it was cut off',
    ],
    [
      'too many bytes',
      () => [['a.tgz', gzip(packTar({ a: Buffer.alloc(6_000_000) }))]],
      'archive too large',
    ],
    [
      'two archives',
      () => [
        ['a.tar', packTar(members)],
        ['b.tgz', gzip(packTar(members))],
      ],
      'but there are 2 archives',
    ],
    [
      'an archive and a picture',
      () => [
        ['a.tar', packTar(members)],
        ['b.jpg', small],
      ],
      'but there are 1 archive and 1 image',
    ],
  ]
  test.each(cases)('%s', async (_, contents, message) => {
    const files = await Promise.all(
      contents().map(([name, bytes]) => uploadFile(blobs, name, bytes)),
    )
    await expect(prepare({ files }, { limits })).rejects.toThrow(message)
    expect(attached).toEqual([])
  })

  test('unpacked files of a failed request are deleted', async () => {
    const before = await made()
    const file = await uploadFile(blobs, 'a.tgz', gzip(packTar({ 'a.txt': 'text' })))
    await expect(prepare({ files: [file] })).rejects.toThrow('No media data found')
    expect(await made()).toEqual(before)
  })
})

test('an archive does not count as damaged when the store is unavailable', async () => {
  const file = await uploadFile(blobs, 'a.tgz', gzip(packTar({ a: randomBytes(300_000) })))
  let asked = 0
  const get: typeof blobs.get = async (key, range) => {
    if (++asked > 4) throw unavailable('The store is away.')
    return blobs.get(key, range)
  }
  const away = prepare({ files: [file] }, { blobs: { ...blobs, get } })
  await expect(away).rejects.toMatchObject({ kind: 'unavailable' })
  expect(asked).toBeGreaterThan(4)
})

test('a decompression bomb is stopped before it fills the store', async () => {
  const zeros = gzipSync(packTar({ 'a.bmp': Buffer.alloc(300_000_000) }), { level: 6 })
  const file = await uploadFile(blobs, 'a.tgz', zeros)
  await expect(prepare({ files: [file] })).rejects.toThrow(
    /archive too large: it unpacks to more than 6\d{7} bytes/,
  )
})

async function made(): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of blobs.list('requests/uploads'))
    if (key.includes('/made-')) found.push(key)
  return found
}

function changed(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt32LE(1, copy.length - 8)
  return copy
}
