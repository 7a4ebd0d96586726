import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { LocatedFrame } from '@reticle/contracts/rest/facts'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { frameOf } from '@reticle/contracts/testing/records'
import { sourceOf } from '@reticle/formats/archive/source'
import { openZip } from '@reticle/formats/archive/zip-reader'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { testDb } from '@reticle/kit/testing/db'
import { afterAll, expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { readUpright } from '../../exports/upright.ts'
import { filesBelow, shareKey, withShare } from '../../storage/share/files.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { bucketKey, withBuckets } from '../../storage/with-buckets.ts'
import { locatedChunk, photo } from '../../testing/chunks.ts'
import { testStore } from '../../testing/run.ts'
import { storageOf } from '../../testing/storages.ts'
import { writeChunkArchive } from '../chunks/archive.ts'
import { contextImages } from './context-images.ts'
import { createImageDecoder } from './decode.ts'
import { createFramePictures } from './pictures.ts'
import { gatherSource } from './source.ts'

/** Bytes of cloud storages and the share are sniffed at every read, because an internal service may return them. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const store = await testStore()
const share = await mkdtemp(join(tmpdir(), 'reticle-share-'))
afterAll(() => rm(share, { recursive: true }))

const picture = await photo(40)
const texts: Readonly<Record<string, Buffer>> = {
  'a page of a service': Buffer.from('<!doctype html><title>admin</title>'),
  'a JSON answer': Buffer.from('{"AccessKeyId":"AKIA","SecretAccessKey":"x"}'),
  'a drawing with a script': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
  'a text that names a picture later': Buffer.from(`secret \xff\xd8\xff${'x'.repeat(600)}`),
  'a ZIP': Buffer.from('PK\x03\x04 secret'),
  'a PDF': Buffer.from('%PDF-1.7 secret'),
  'a single byte': Buffer.from('s'),
}

/** Creates a frame whose bytes are in a cloud storage, and the store that reads them. */
function inBucket(bytes: Buffer) {
  const { storages } = storageOf({ 'a.jpg': bytes, 'b.jpg': picture })
  const frame = (name: string, length: number): FrameSource =>
    frameOf({ key: bucketKey(1, name, length), length, offset: 0, packing: 'stored', name })
  const frames = [frame('a.jpg', bytes.length), frame('b.jpg', picture.length)]
  return { blobs: withBuckets(store.blobs, storages), frames }
}

async function onShare(bytes: Buffer) {
  await writeFile(join(share, 'a.jpg'), bytes)
  await writeFile(join(share, 'b.jpg'), picture)
  const frames: FrameSource[] = []
  for await (const file of filesBelow(share, '.')) {
    const { size: length, path: name } = file
    frames.push(frameOf({ key: shareKey(file), length, offset: 0, packing: 'stored', name }))
  }
  return { blobs: withShare(store.blobs, share), frames }
}

const located = (frame: FrameSource | undefined): LocatedFrame => ({
  ...(frame ?? expect.fail('no frame')),
  task_id: 1,
  frame: 0,
  image_quality: 70,
  data_revision: 1,
})
const undecodable = { kind: 'not_found', code: 'image_undecodable' }
const places = { 'a cloud storage': inBucket, 'the share': onShare }

for (const [place, lay] of Object.entries(places)) {
  test.each(Object.entries(texts))(
    `%s on ${place} is not returned as a frame`,
    async (_, bytes) => {
      const { blobs, frames } = await lay(bytes)
      const pictures = createFramePictures({ db, blobs })
      const [first] = frames
      for (const quality of ['original', 'compressed', 'preview'] as const)
        await expect(pictures[quality](located(first)), quality).rejects.toMatchObject(undecodable)
      await expect(gatherSource(blobs, located(first))).rejects.toMatchObject(undecodable)
      await expect(gatherBytes(readUpright(blobs, located(first)))).rejects.toThrow('is no image')
    },
  )

  test.each(Object.entries(texts))(`%s on ${place} is empty in archives`, async (_, bytes) => {
    const { blobs, frames } = await lay(bytes)
    for (const quality of ['original', 'compressed'] as const) {
      const deps = { blobs, decode: createImageDecoder(), sideBySide: 1 }
      const chunk = { ...locatedChunk({ start: 0, stop: 1 }), quality }
      const lines = bytesOf(...frames.map(encodeFrame))
      const [hidden, shown] = await membersOf(writeChunkArchive(deps, chunk, lines))
      expect(hidden?.length, quality).toBe(0)
      expect(shown?.subarray(0, 3), quality).toEqual(Buffer.from([0xff, 0xd8, 0xff]))
    }
    const [hidden, shown] = await membersOf(contextImages(blobs, frames))
    expect([hidden?.length, shown]).toEqual([0, picture])
  })

  test(`a picture on ${place} is returned byte by byte`, async () => {
    const { blobs, frames } = await lay(picture)
    const { chunks } = await createFramePictures({ db, blobs }).original(located(frames[0]))
    expect(await gatherBytes(chunks)).toEqual(picture)
  })
}

async function membersOf(archive: AsyncIterable<Uint8Array>): Promise<Buffer[]> {
  const zip = await openZip(sourceOf(await gatherBytes(archive)))
  const all = [...zip.files.values()].map(async (member) => Buffer.from(await zip.bytes(member)))
  return Promise.all(all)
}
