import { frames } from '@reticle/contracts/api/frames'
import type { LocatedFrame } from '@reticle/contracts/rest/facts'
import type { StoredImage } from '@reticle/contracts/rest/media'
import { sourceOf } from '@reticle/formats/archive/source'
import { openZip } from '@reticle/formats/archive/zip-reader'
import { invalidText } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { framesOfTasks, locatedChunk, photo, storedFrame } from '../../testing/chunks.ts'
import { testStore } from '../../testing/run.ts'
import { openChunks } from '../chunks/open.ts'
import { createImageDecoder } from './decode.ts'
import { createFramePictures } from './pictures.ts'
import { frameHandlers } from './rpc.ts'

/** Chunks of frames, and context images. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const { blobs } = await testStore()
const tasks = framesOfTasks()
const decode = createImageDecoder()
const asked: object[] = []
let related: StoredImage[] = []

const media = {
  ...tasks.media,
  async locateFrame({ id, number: frame }: { id: number; number: number }): Promise<LocatedFrame> {
    const place = { task_id: id, frame, image_quality: 70, data_revision: 1 }
    return { ...(await storedFrame(blobs, 'x')), ...place, related: { files: related } }
  },
  async locateChunk(wanted: { id: number; number?: number; index?: number }) {
    asked.push(wanted)
    if (wanted.number === 9) throw invalidText('The chunk with the number 9 is not here')
    return locatedChunk({ task_id: wanted.id })
  },
}
const readPreviewImage = async () => {
  throw new Error('unexpected read of a bucket image')
}
const handlers = frameHandlers({
  services: { media, storages: { readPreviewImage } },
  blobs,
  pictures: createFramePictures({ db, blobs, decode }),
  chunks: openChunks({ db, blobs, decode, media }),
})
const anna = callAs({ user_id: 1 })

async function membersOf(chunks: AsyncIterable<Uint8Array>) {
  const zip = await openZip(sourceOf(await gatherBytes(chunks)))
  const members = new Map<string, string>()
  for (const [name, member] of zip.files)
    members.set(name, Buffer.from(await zip.bytes(member)).toString())
  return members
}

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, frames, handlers)

  test('a chunk has all headers for caching', async () => {
    const id = transport === 'grpc' ? 1 : 2
    tasks.set(id, await Promise.all([5, 6, 7].map(async (w) => storedFrame(blobs, await photo(w)))))
    const { head, chunks } = await calls.getTaskData({ id, type: 'chunk', number: 0 }, anna)
    const bytes = await gatherBytes(chunks)
    expect(head).toEqual({
      type: 'application/zip',
      length: bytes.length,
      max_age: 3600,
      has_ranges: true,
      etag: `"c${id}-1-0-2-q70-${head.checksum}"`,
      checksum: expect.stringMatching(/^\d+$/),
      updated_date: '2026-03-01T09:00:05.000Z',
    })
    const members = await openZip(sourceOf(bytes))
    expect([...members.files.keys()]).toEqual(['000000.jpeg', '000001.jpeg', '000002.jpeg'])
  })

  test('a chunk of a job is found by its index or its number', async () => {
    tasks.set(3, [await storedFrame(blobs, await photo(5))])
    asked.length = 0
    await calls.getJobData({ id: 3, type: 'chunk', index: 0 }, anna)
    await calls.getJobData({ id: 3, type: 'chunk', number: 4 }, anna)
    expect(asked).toEqual([
      { target: 'job', id: 3, index: 0 },
      { target: 'job', id: 3, number: 4 },
    ])
    const attempt = calls.getJobData({ id: 3, type: 'chunk', number: 9 }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'invalid' })
    for (const place of [{}, { number: 0, index: 0 }])
      await expect(
        calls.getJobData({ id: 3, type: 'chunk', ...place }, anna),
      ).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('context images are unchanged, with names relative to their folder', async () => {
    const one = await storedFrame(blobs, 'left side', { name: 'a/related_images/b_jpg/left.png' })
    const two = await storedFrame(blobs, 'top', { name: 'a/related_images/b_jpg/up/top.png' })
    related = [one, two]
    const wanted = { id: 4, type: 'context_image', number: 3 }
    const { head, chunks } = await calls.getTaskData(wanted, anna)
    expect(head).toEqual({ type: 'application/zip', etag: '"f4-1-3-context"', max_age: 3600 })
    expect([...(await membersOf(chunks))]).toEqual([
      ['left.png', 'left side'],
      ['up/top.png', 'top'],
    ])
    related = [one]
    const alone = await calls.getJobData(wanted, anna)
    expect([...(await membersOf(alone.chunks)).keys()]).toEqual(['left.png'])
  })

  test('a frame without context images is an error', async () => {
    related = []
    const attempt = calls.getTaskData({ id: 4, type: 'context_image', number: 3 }, anna)
    await expect(attempt).rejects.toMatchObject({
      kind: 'not_found',
      code: 'no_context_images',
    })
  })
})
