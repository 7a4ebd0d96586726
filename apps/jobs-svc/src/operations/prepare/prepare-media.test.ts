import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { type FrameSource, frameSource } from '@reticle/contracts/rest/media'
import type { ValidationParams } from '@reticle/contracts/rest/validation'
import { factsOf } from '@reticle/contracts/testing/records'
import { writeZip } from '@reticle/formats/archive/zip-writer'
import { unavailable } from '@reticle/kit'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'
import { readMediaBytes } from '../../media/media-bytes.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { createWork, runOf, testStore, uploadFile } from '../../testing/run.ts'
import { authorityOf, servicesOf } from '../../testing/services.ts'
import type { OperationServices } from '../operation.ts'
import { prepareMedia } from './prepare-media.ts'

const store = await testStore()
const { blobs } = store
const tasks = authorityOf([
  { target: 'task', id: 1, user_id: 1, facts: factsOf({ size: 0, jobs: [] }) },
])
type Attach = OperationServices['media']['attachMedia']
const attached: { query: Omit<Parameters<Attach>[0], 'body'>; frames: FrameSource[] }[] = []
const attachMedia: Attach = async ({ body, ...query }) => {
  const lines = (await text(body)).trimEnd().split('\n')
  const frames = lines.map((line) => frameSource.parse(JSON.parse(line)))
  attached.push({ query, frames })
  return { size: frames.length, jobs: 1 }
}
const services = servicesOf({ tasks, media: { attachMedia } })

beforeEach(() => {
  attached.length = 0
})

type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif'
const picture = (width: number, height: number, format: Format = 'jpeg') =>
  sharp({ create: { width, height, channels: 3, background: 'red' } })
    .toFormat(format)
    .toBuffer()

/** Wraps the store and records the size of each requested range. */
function watched() {
  const asked: number[] = []
  const get: typeof blobs.get = (key, range) => {
    asked.push((range?.end ?? Number.POSITIVE_INFINITY) + 1)
    return blobs.get(key, range)
  }
  return { asked, blobs: { ...blobs, get } }
}

/** Creates a PNG whose header states a size that its data does not have. */
async function claiming(width: number, height: number): Promise<Buffer> {
  const bytes = await picture(1, 1, 'png')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
  return bytes
}

async function zip(members: Record<string, string | Uint8Array>): Promise<Buffer> {
  const files = Object.entries(members).map(([path, content]) => ({ path, content }))
  return gatherBytes(writeZip(files, new Date(0)))
}

/** Sets the uncompressed size of the one member to 30 bytes in the directory of an archive. */
function callingSmall(archive: Buffer): Buffer {
  archive.writeUInt32LE(30, archive.indexOf('PK\x01\x02') + 24)
  return archive
}

async function prepare(...params: Parameters<typeof createWork>) {
  const work = createWork(...params)
  const run = await runOf(store, services)
  return { work, run, outcome: await prepareMedia(work, run) }
}

test('images become upright frames in the order of their names and stay in the upload', async () => {
  const turned = await sharp(await picture(40, 20))
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const files = [
    await uploadFile(blobs, 'b.png', await picture(30, 10, 'png')),
    await uploadFile(blobs, 'a.jpg', turned),
  ]

  const { work, run, outcome } = await prepare({ files, image_quality: 80 })

  expect(attached).toEqual([
    {
      query: { task_id: 1, call_id: work.request_uuid, image_quality: 80, chunk_size: 72 },
      frames: [
        {
          name: 'a.jpg',
          width: 20,
          height: 40,
          key: files[1]?.key,
          offset: 0,
          length: files[1]?.size,
          packing: 'stored',
          media_type: 'image/jpeg',
        },
        expect.objectContaining({ name: 'b.png', width: 30, height: 10, media_type: 'image/png' }),
      ],
    },
  ])
  expect(outcome).toMatchObject({ result: null, result_id: 1, report: { skipped: 0 } })
  expect(run.stages).toEqual(['Reading images', 'final', 'Creating jobs'])
})

test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)(
  '%s is opened once, and only its start is read when it may not be a frame',
  async (format) => {
    const bytes = Buffer.concat([await picture(33, 44, format), Buffer.alloc(1000)])
    const names = ['a', 'b', 'c']
    const files = await Promise.all(names.map((name) => uploadFile(blobs, name, bytes)))
    const all = watched()
    await prepareMedia(createWork({ files }), await runOf(store, services, { blobs: all.blobs }))
    expect(all.asked).toEqual([bytes.length, bytes.length, bytes.length])
    const some = watched()
    const work = createWork({ files, stop_frame: 0 })
    await prepareMedia(work, await runOf(store, services, { blobs: some.blobs }))
    expect(some.asked.filter((end) => end > 512)).toEqual([bytes.length])
  },
)

test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)(
  '%s is read under any file name',
  async (format) => {
    await prepare({
      files: [await uploadFile(blobs, 'picture.bin', await picture(33, 44, format))],
    })
    expect(attached[0]?.frames).toMatchObject([
      { width: 33, height: 44, media_type: `image/${format}` },
    ])
  },
)

test('images whose header does not contain their size are read whole, one at a time', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const tiff = await sharp({
    create: { width: 300, height: 300, channels: 3, background: 'red', noise },
  })
    .tiff({ compression: 'none' })
    .toBuffer()
  const files = await Promise.all(['a', 'b', 'c'].map((name) => uploadFile(blobs, name, tiff)))
  const running = { now: 0, most: 0 }
  const get: typeof blobs.get = async (key, range) => {
    const answer = await blobs.get(key, range)
    return range?.end === tiff.length - 1
      ? { ...answer, chunks: counted(answer.chunks, running) }
      : answer
  }

  await prepareMedia(
    createWork({ files }),
    await runOf(store, services, { blobs: { ...blobs, get } }),
  )

  expect(attached[0]?.frames).toMatchObject(files.map(() => ({ width: 300, height: 300 })))
  expect(running).toEqual({ now: 0, most: 1 })
})

async function* counted(chunks: AsyncIterable<Uint8Array>, running: { now: number; most: number }) {
  running.most = Math.max(running.most, ++running.now)
  for await (const chunk of chunks) {
    yield chunk
    await sleep(5)
  }
  running.now--
}

test('natural order compares numbers', async () => {
  const files = await Promise.all(
    ['f10.jpg', 'f9.jpg'].map(async (name) => uploadFile(blobs, name, await picture(4, 4))),
  )
  await prepare({ files, sorting_method: 'natural' })
  expect(attached[0]?.frames.map((frame) => frame.name)).toEqual(['f9.jpg', 'f10.jpg'])
})

describe('files that are mapped to jobs', () => {
  const jobs = (...lists: string[][]) => ({ job_file_mapping: lists.map((files) => ({ files })) })
  const three = () =>
    Promise.all(['a', 'b', 'c'].map(async (name) => uploadFile(blobs, name, await picture(4, 4))))

  test('keep the order of the mapping, and unlisted files are left out', async () => {
    const { outcome } = await prepare({ files: await three(), ...jobs(['c'], ['a']) })
    expect(attached[0]?.frames.map((frame) => frame.name)).toEqual(['c', 'a'])
    expect(attached[0]?.query).toMatchObject({ job_sizes: { frames: [1, 1] } })
    expect(outcome.report).toMatchObject({
      skipped: 1,
      entries: [{ reason: 'not listed in job_file_mapping', examples: [{ file: 'b' }] }],
    })
  })

  test('must exist and must be pictures', async () => {
    const files = [...(await three()), await uploadFile(blobs, 'd', 'no picture')]
    const zipped = { 'a.png': await picture(4, 4, 'png'), 'd.txt': 'no picture' }
    const archive = await uploadFile(blobs, 'a.zip', await zip(zipped))
    await expect(prepare({ files, ...jobs(['a', 'e']) })).rejects.toThrow(
      "job_file_mapping: no image called 'e' was sent",
    )
    await expect(prepare({ files, ...jobs(['a', 'd']) })).rejects.toThrow(
      'job_file_mapping: d: this is no image, archive, video or PDF',
    )
    await expect(prepare({ files: [archive], ...jobs(['a.png', 'd.txt']) })).rejects.toThrow(
      'job_file_mapping: d.txt: no image',
    )
    expect(attached).toEqual([])
  })
})

test('the requested number of jobs is passed on', async () => {
  await prepare({ files: [await uploadFile(blobs, 'a', await picture(4, 4))], job_count: 3 })
  expect(attached[0]?.query).toMatchObject({ job_count: 3 })
})

test('frames of a zip archive are read from within it', async () => {
  const image = await picture(64, 32, 'png')
  const archive = await zip({
    'b/2.png': image,
    'a/packed-although-an-image.dat': image,
    'notes.txt': 'hello',
    '__MACOSX/b/2.png': 'junk',
    '.DS_Store': 'junk',
  })
  const { outcome } = await prepare({ files: [await uploadFile(blobs, 'all.zip', archive)] })

  const frames = attached[0]?.frames ?? []
  expect(frames.map(({ name, packing }) => [name, packing])).toEqual([
    ['a/packed-although-an-image.dat', 'deflated'],
    ['b/2.png', 'stored'],
  ])
  for (const frame of frames) expect(await gatherBytes(readMediaBytes(blobs, frame))).toEqual(image)
  expect(outcome.report).toMatchObject({
    skipped: 1,
    entries: [{ code: 'ignored-file', reason: 'no image', examples: [{ file: 'notes.txt' }] }],
  })
})

test('files of unknown type beside images are skipped and named', async () => {
  const files = [
    await uploadFile(blobs, 'a.jpg', await picture(4, 4)),
    await uploadFile(blobs, 'list.txt', 'a.jpg'),
  ]
  const { outcome } = await prepare({ files })
  expect(attached[0]?.frames.length).toBe(1)
  expect(outcome.report).toMatchObject({
    skipped: 1,
    entries: [{ examples: [{ file: 'list.txt' }] }],
  })
})

test.each([
  [1920, 1080, 36],
  [4000, 3000, 6],
  [100, 100, 72],
  [16_000, 10_000, 2],
])('pictures of %i x %i make chunks of %i', async (width, height, chunk_size) => {
  await prepare({ files: [await uploadFile(blobs, 'a.png', await claiming(width, height))] })
  expect(attached[0]?.query.chunk_size).toBe(chunk_size)
})

test('a requested chunk size is kept', async () => {
  await prepare({ files: [await uploadFile(blobs, 'a.png', await picture(4, 4))], chunk_size: 5 })
  expect(attached[0]?.query.chunk_size).toBe(5)
})

test('requested ground truth is created with the jobs', async () => {
  const files = [await uploadFile(blobs, 'a.png', await picture(4, 4))]
  const validation_params: ValidationParams = {
    mode: 'gt',
    frame_selection_method: 'manual',
    frames: ['a.png'],
  }
  await prepare({ files, validation_params })
  expect(attached[0]?.query).toMatchObject({ validation_params })
})

describe('unusable input fails with one sentence, and nothing is attached', () => {
  const cases: [string, () => Promise<[string, string | Uint8Array][]>, string][] = [
    ['no picture', async () => [['a.txt', 'text']], 'No media data found'],
    ['an empty archive', async () => [['a.zip', await zip({})]], 'No media data found'],
    [
      'an archive without pictures',
      async () => [['a.zip', await zip({ 'a.txt': 'x' })]],
      'No media data found',
    ],
    [
      'an archive and a picture',
      async () => [
        ['a.zip', await zip({ 'a.jpg': await picture(4, 4) })],
        ['b.jpg', await picture(4, 4)],
      ],
      'Only one zip, video, pdf or archive or many images can be used simultaneously, but there are 1 zip and 1 image',
    ],
    [
      'two archives',
      async () => [
        ['a.zip', await zip({})],
        ['b.zip', await zip({})],
      ],
      'simultaneously, but there are 2 zips',
    ],
    [
      'a video',
      async () => [['a.mp4', '\0\0\0\x18ftypisom']],
      "a.mp4: Media type 'video' is not supported by this installation, which has no decoder",
    ],
    [
      'a drawing',
      async () => [['a.svg', '<svg xmlns="x"/>']],
      'a.svg: SVG drawings are not read. Pictures are read as JPEG, PNG, ',
    ],
    [
      'a picture that ends at once',
      async () => [['a.jpg', '\xff\xd8\xff']],
      'a.jpg: the image cannot be read',
    ],
    [
      'a picture of too many pixels',
      async () => [['a.png', await claiming(60_000, 60_000)]],
      'a.png: 60000 x 60000 pixels are too many',
    ],
    [
      'an archive that was cut',
      async () => [['a.zip', (await zip({ 'a.jpg': await picture(4, 4) })).subarray(0, 90)]],
      'archive is damaged',
    ],
    [
      'a member of an archive that calls itself small',
      async () => [['a.zip', callingSmall(await zip({ 'a.dat': await picture(64, 48, 'png') }))]],
      'a.dat: the file is larger than the 30 bytes that the archive tells',
    ],
    [
      'an unreadable picture in an archive',
      async () => [['a.zip', await zip({ 'b/a.jpg': Buffer.from('\xff\xd8\xffx', 'latin1') })]],
      'b/a.jpg: the image cannot be read',
    ],
  ]
  test.each(cases)('%s', async (_, contents, message) => {
    const given = (await contents()).map(([name, content]) =>
      uploadFile(
        blobs,
        name,
        typeof content === 'string' ? Buffer.from(content, 'latin1') : content,
      ),
    )
    await expect(prepare({ files: await Promise.all(given) })).rejects.toThrow(message)
    expect(attached).toEqual([])
  })
})

test('an archive with more members than the limit is refused', async () => {
  const archive = await zip({ a: 'x', b: 'y' })
  const run = await runOf(store, services, { limits: { entries: 1, bytes: 1000, ratio: 10 } })
  const work = createWork({ files: [await uploadFile(blobs, 'a.zip', archive)] })
  await expect(prepareMedia(work, run)).rejects.toThrow('archive too large')
})

test('an attempt after one whose result was lost attaches the media with the same call id', async () => {
  const full = authorityOf([{ target: 'task', id: 1, user_id: 1, facts: factsOf({ size: 1 }) }])
  const work = createWork({ files: [await uploadFile(blobs, 'a.png', await picture(4, 4))] })
  await prepareMedia(work, await runOf(store, services))
  await prepareMedia({ ...work, lease_token: 2 }, await runOf(store, { ...services, tasks: full }))
  expect(attached.map((one) => one.query.call_id)).toEqual([work.request_uuid, work.request_uuid])
})

test('nothing is attached once the lease is lost', async () => {
  const run = await runOf(store, services, {
    enterFinal: async () => {
      throw unavailable('lost')
    },
  })
  const work = createWork({ files: [await uploadFile(blobs, 'a.png', await picture(4, 4))] })
  await expect(prepareMedia(work, run)).rejects.toThrow('lost')
  expect(attached).toEqual([])
})
