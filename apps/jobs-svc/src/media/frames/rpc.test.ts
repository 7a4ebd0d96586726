import { frames } from '@reticle/contracts/api/frames'
import type { LocatedFrame } from '@reticle/contracts/rest/facts'
import { frameOf } from '@reticle/contracts/testing/records'
import { archiveLimits } from '@reticle/formats/archive/zip-reader'
import { writeZip } from '@reticle/formats/archive/zip-writer'
import { createReport } from '@reticle/formats/report/conversion-report'
import { notFound, unavailable } from '@reticle/kit'
import { cutBytes } from '@reticle/kit/testing/bytes'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { classifyMedia } from '../../operations/prepare/classify-media.ts'
import { toSourceFile } from '../../operations/sources/source-listing.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { testStore, uploadFile } from '../../testing/run.ts'
import { createFramePictures } from './pictures.ts'
import { frameHandlers } from './rpc.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
const { blobs } = await testStore()
const located = new Map<string, LocatedFrame>()
const asked: object[] = []
const taskWithoutMedia = 777
const locateFrame = async (wanted: {
  target: string
  id: number
  number: number
  preview: boolean
}) => {
  asked.push(wanted)
  if (wanted.id === taskWithoutMedia) throw notFound('Nothing to show.', 'no_preview')
  const found = located.get(`${wanted.id}`)
  if (!found) throw notFound()
  return found
}
const reading: string[] = []
const counted = {
  ...blobs,
  get: (...given: Parameters<typeof blobs.get>) => {
    reading.push(given[0])
    return blobs.get(...given)
  },
}
let inBucket: Uint8Array = Buffer.alloc(0)
const readPreviewImage = async () => ({ head: {}, chunks: cutBytes(inBucket, 60_000) })
const noChunk = async () => {
  throw new Error('unexpected read of a chunk')
}
const services = { media: { locateFrame, locateChunk: noChunk }, storages: { readPreviewImage } }
const handlers = frameHandlers({
  services,
  blobs,
  pictures: createFramePictures({ db, blobs: counted }),
  chunks: { open: noChunk },
})
const anna = callAs({ user_id: 1 })

const photo = await sharp({ create: { width: 600, height: 300, channels: 3, background: 'red' } })
  .composite([
    {
      input: { create: { width: 300, height: 300, channels: 3, background: 'blue' } },
      left: 0,
      top: 0,
    },
  ])
  .jpeg({ quality: 100 })
  .toBuffer()
const turned = await sharp(photo).withMetadata({ orientation: 6 }).toBuffer()
const drawing = await sharp(photo).png().toBuffer()

let lastTask = 0
/** Creates a task of one frame with those bytes; returns its id. */
async function taskWith(bytes: Uint8Array | string, given: Partial<LocatedFrame> = {}) {
  const id = ++lastTask
  const { key, size } = await uploadFile(blobs, 'x', bytes)
  const place = { task_id: id, frame: 0, image_quality: 70, data_revision: 1 }
  located.set(`${id}`, { ...frameOf({ key, length: size }), ...place, ...given })
  return id
}

async function zipped(bytes: Uint8Array) {
  const archive = await gatherBytes(writeZip([{ path: 'a.dat', content: bytes }], new Date(0)))
  const { name, key, size } = await uploadFile(blobs, 'a.zip', archive)
  const { signal } = new AbortController()
  const about = { limits: archiveLimits, report: createReport(), progress: () => undefined }
  const deps = { blobs, signal, prefix: 'none/', ...about }
  const { listing } = await classifyMedia([toSourceFile(name, key, size)], deps)
  const [file] = listing.files
  if (!file) throw new Error('the archive is empty')
  return taskWith('', await listing.place(file))
}

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, frames, handlers)
  const wanted = { type: 'frame', number: 0 }

  async function read(answer: Awaited<ReturnType<typeof calls.getTaskData>>) {
    const bytes = await gatherBytes(answer.chunks)
    return { head: answer.head, bytes, image: await sharp(bytes).metadata() }
  }

  test('the original is the unchanged upload', async () => {
    const id = await taskWith(photo)
    const { head, bytes } = await read(
      await calls.getTaskData({ ...wanted, id, quality: 'original' }, anna),
    )
    expect(bytes).toEqual(photo)
    expect(head).toEqual({
      type: 'image/jpeg',
      length: photo.length,
      etag: `"f${id}-1-0-original"`,
      max_age: 3600,
    })
  })

  test('the original in an archive is unpacked', async () => {
    const id = await zipped(drawing)
    const answer = await calls.getTaskData({ ...wanted, id, quality: 'original' }, anna)
    expect(await gatherBytes(answer.chunks)).toEqual(drawing)
  })

  test('a compressed frame is a smaller jpeg, upright', async () => {
    const id = await taskWith(turned)
    const { head, bytes, image } = await read(await calls.getTaskData({ ...wanted, id }, anna))
    expect(image).toMatchObject({ format: 'jpeg', width: 300, height: 600 })
    expect(head).toMatchObject({
      type: 'image/jpeg',
      length: bytes.length,
      etag: `"f${id}-1-0-compressed"`,
    })
  })

  test('a compressed frame is made once for any number of concurrent callers', async () => {
    const id = await taskWith(photo)
    const source = located.get(`${id}`)?.key
    const ask = async () => gatherBytes((await calls.getTaskData({ ...wanted, id }, anna)).chunks)
    const all = await Promise.all([ask(), ask(), ask()])
    all.push(await ask())
    expect(new Set(all.map((bytes) => bytes.toString('base64'))).size).toBe(1)
    expect(reading.filter((key) => key === source).length).toBe(1)
    const blob = await db.selectFrom('blobs').selectAll().where('task_id', '=', id).execute()
    expect(blob).toMatchObject([{ key: `requests/frames/${id}/`, kind: 'frames', state: 'live' }])
  })

  test('changed media makes another picture', async () => {
    const id = await taskWith(photo)
    await calls.getTaskData({ ...wanted, id }, anna)
    const { key, size } = await uploadFile(blobs, 'x', turned)
    located.set(`${id}`, {
      ...frameOf({ key, length: size }),
      task_id: id,
      frame: 0,
      image_quality: 70,
      data_revision: 2,
    })
    const { head, image } = await read(await calls.getTaskData({ ...wanted, id }, anna))
    expect(head.etag).toBe(`"f${id}-2-0-compressed"`)
    expect(image.width).toBe(300)
  })

  test.each([
    ['a photo', photo, 'image/jpeg', { width: 256, height: 128, format: 'jpeg' }],
    ['a png', drawing, 'image/png', { width: 256, height: 128, format: 'png' }],
  ])('the preview of %s fits into 256 x 256', async (_, bytes, media_type, size) => {
    const id = await taskWith(bytes, { media_type })
    for (const call of [calls.getTaskPreview, calls.getJobPreview, calls.getProjectPreview]) {
      const { head, image } = await read(await call({ id }, anna))
      expect(image).toMatchObject(size)
      expect(head).toMatchObject({ type: media_type, etag: `"f${id}-1-0-preview"`, max_age: 3600 })
    }
  })

  test('every frame has a preview, shared with the preview of its task', async () => {
    const id = await taskWith(photo)
    const preview = await read(await calls.getTaskPreview({ id }, anna))
    const source = located.get(`${id}`)?.key
    for (const call of [calls.getTaskData, calls.getJobData]) {
      const { head, bytes } = await read(await call({ id, type: 'preview', number: 7 }, anna))
      expect(head.etag).toBe(`"f${id}-1-0-preview"`)
      expect(bytes).toEqual(preview.bytes)
      expect(asked.at(-1)).toMatchObject({ id, number: 7, preview: false })
    }
    expect(reading.filter((key) => key === source).length).toBe(1)
  })

  test.each(['handling=empty', 'respond-async, Handling="empty"; x=1'])(
    'a client that prefers %s receives an empty response without a picture',
    async (prefer) => {
      const broken = await taskWith('no picture')
      for (const id of [broken, taskWithoutMedia]) {
        const { head, chunks } = await calls.getTaskPreview({ id, prefer }, anna)
        expect([head, await gatherBytes(chunks)]).toEqual([{ length: 0 }, Buffer.alloc(0)])
        await expect(calls.getTaskPreview({ id }, anna)).rejects.toMatchObject({
          kind: 'not_found',
        })
      }
    },
  )

  test.each([
    ['of a task that is not there', 'handling=empty', 999],
    ['for another preference', 'handling=lenient', taskWithoutMedia],
    ['for a word that only ends alike', 'mishandling=empty', taskWithoutMedia],
  ])('a missing picture %s is an error', async (_, prefer, id) => {
    await expect(calls.getTaskPreview({ id, prefer }, anna)).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  test('a small picture is not enlarged for its preview', async () => {
    const tiny = await sharp(photo).resize(20, 10).jpeg().toBuffer()
    const { image } = await read(await calls.getTaskPreview({ id: await taskWith(tiny) }, anna))
    expect(image).toMatchObject({ width: 20, height: 10 })
  })

  test('frames of a job are located by their number in the task', async () => {
    const id = await taskWith(photo)
    await calls.getJobData({ id, type: 'frame', number: 7 }, anna)
    expect(asked.at(-1)).toEqual({ target: 'job', id, number: 7, preview: false })
  })

  test.each([
    ['no type', { type: undefined }, 'Data type not specified or not supported'],
    ['an unknown type', { type: 'x' }, 'Data type not specified or not supported'],
    ['no number', { number: undefined }, 'Number is not specified'],
    ['an unknown quality', { quality: 'best' }, 'Wrong quality value'],
  ])('%s is refused', async (_, given, text) => {
    const attempt = calls.getTaskData({ id: 1, ...wanted, ...given }, anna)
    await expect(attempt).rejects.toMatchObject({
      kind: 'invalid',
      body: [expect.stringContaining(text)],
    })
  })

  test.each([
    ['that is no image', 'text'],
    ['that was cut', photo.subarray(0, photo.length / 2)],
  ])('a picture %s is not found, compressed or as preview', async (_, bytes) => {
    const id = await taskWith(bytes)
    await expect(calls.getTaskData({ id, ...wanted }, anna)).rejects.toMatchObject({
      kind: 'not_found',
    })
    await expect(calls.getTaskPreview({ id }, anna)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('the preview of a cloud storage is a small version of its image', async () => {
    inBucket = photo
    const { head, chunks } = await calls.getCloudStoragePreview({ id: 9 }, anna)
    expect(head).toMatchObject({ type: 'image/jpeg', max_age: 3600 })
    const small = await sharp(await gatherBytes(chunks)).metadata()
    expect([small.width, small.height]).toEqual([256, 128])
    inBucket = drawing
    expect((await calls.getCloudStoragePreview({ id: 9 }, anna)).head.type).toBe('image/png')
  })

  test.each([
    ['a drawing in XML', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['text', 'no image'],
    ['half a picture', photo.subarray(0, 900)],
  ])('%s in a cloud storage is not previewed', async (_, bytes) => {
    inBucket = Buffer.from(bytes)
    const attempt = calls.getCloudStoragePreview({ id: 9 }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'not_found', code: 'image_undecodable' })
  })

  test('a picture whose object is missing is not found, also the original', async () => {
    const id = await taskWith(photo, { key: 'requests/uploads/gone' })
    const attempt = calls.getTaskData({ id, ...wanted, quality: 'original' }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
  })
})

test('every picture is unavailable while the object store is unreachable', async () => {
  const get = () => Promise.reject(unavailable('away'))
  const away = frameHandlers({
    services,
    blobs: { ...blobs, get },
    pictures: createFramePictures({ db, blobs: { ...blobs, get } }),
    chunks: { open: noChunk },
  })
  const id = await taskWith(photo)
  for (const quality of ['original', 'compressed'] as const) {
    const attempt = away.getTaskData({ id, type: 'frame', number: 0, quality }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
  }
  await expect(away.getTaskPreview({ id }, anna)).rejects.toMatchObject({ kind: 'unavailable' })
})
