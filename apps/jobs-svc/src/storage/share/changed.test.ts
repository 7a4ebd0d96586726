import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { LocatedFrame } from '@reticle/contracts/rest/facts'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { frameOf } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { afterAll, describe, expect, test } from 'vitest'
import { mediaFiles } from '../../backups/write-media.ts'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { readUpright } from '../../exports/upright.ts'
import { openChunks } from '../../media/chunks/open.ts'
import { contextImages } from '../../media/frames/context-images.ts'
import { createImageDecoder } from '../../media/frames/decode.ts'
import { createFramePictures } from '../../media/frames/pictures.ts'
import { copyHere } from '../../operations/sources/bucket-copies.ts'
import { stageTexts } from '../../operations/staging.ts'
import { framesOfTasks, locatedChunk, photo } from '../../testing/chunks.ts'
import { createPreparation, zipFiles } from '../../testing/prepare.ts'
import { gatherBytes } from '../stored-file.ts'
import { withShare } from './files.ts'

/** Files of the share are compared at every read with their state at the preparation. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const { blobs, root, prepare } = await createPreparation()
const shareDir = await mkdtemp(join(tmpdir(), 'reticle-changed-'))
afterAll(() => rm(shareDir, { recursive: true, force: true }))
const shared = withShare(blobs, shareDir)
const anna = callAs({ user_id: 1 })
const { signal } = new AbortController()
const decode = createImageDecoder()
const pictures = createFramePictures({ db, blobs: shared, decode })
const tasks = framesOfTasks()
const chunks = openChunks({ db, blobs: shared, decode, media: tasks.media })

const before = await photo(40)
const other = await photo(400, 300)
const hourAgo = new Date(Date.now() - 3_600_000)

let count = 0
/** Creates a task of a prepared file of the share: a picture, or an archive of one. */
async function taskOf(name: string, bytes: Uint8Array) {
  const task_id = ++count
  const folder = `t${task_id}`
  await mkdir(join(shareDir, folder))
  const path = `${folder}/${name}`
  const file = join(shareDir, path)
  await writeFile(file, bytes)
  await utimes(file, hourAgo, hourAgo)
  const { frames } = await prepare({ server_files: [path] }, { shareDir })
  tasks.set(task_id, frames)
  const [frame = expect.fail('no frame')] = frames
  return { task_id, path, file, frame }
}

const located = (frame: FrameSource, task_id: number): LocatedFrame => ({
  ...frame,
  task_id,
  frame: 0,
  image_quality: 70,
  data_revision: 1,
  storage: 'share',
})

/** All functions that return bytes of a frame. */
const readers: Record<string, (frame: FrameSource, task_id: number) => Promise<unknown>> = {
  'the original': async (frame, id) =>
    gatherBytes((await pictures.original(located(frame, id))).chunks),
  'the compressed frame': (frame, id) => pictures.compressed(located(frame, id)),
  'the preview': (frame, id) => pictures.preview(located(frame, id)),
  'a compressed chunk': (_, id) => chunk(id, 'compressed'),
  'an original chunk': (_, id) => chunk(id, 'original'),
  'a context image': (frame) => gatherBytes(contextImages(shared, [frame])),
  'a picture of an export': (frame) => gatherBytes(readUpright(shared, frame)),
  'a picture of a backup': (frame) => backup(frame),
  'a copy': (frame) =>
    copyHere([{ ...frame, size: frame.length }], 'copy', { blobs: shared, signal, prefix: 'c/' }),
}

const chunk = (task_id: number, quality: 'compressed' | 'original') =>
  chunks.open({ ...locatedChunk({ task_id, start: 0, stop: 0, storage: 'share' }), quality }, anna)

async function* lineOf(frame: FrameSource) {
  yield encodeFrame(frame)
}

async function backup(frame: FrameSource) {
  const frames = await stageTexts(root, 'frames', lineOf(frame), signal)
  const media = { frames, isVideo: false, isListOnly: false, signal, onFrame: () => undefined }
  for await (const { content } of mediaFiles(shared, media))
    if (typeof content === 'object' && Symbol.asyncIterator in content)
      for await (const _ of content);
}

const changed = (path: string) => ({
  kind: 'conflict',
  code: 'source_changed',
  message: `"${path}" of the file share has changed since the media was prepared. Put the former file back, or prepare the media again.`,
})

const changes: Record<string, (file: string, bytes: Uint8Array) => Promise<unknown>> = {
  'a larger file': (file) => writeFile(file, other),
  'a smaller file': (file, bytes) => writeFile(file, bytes.subarray(0, 100)),
  'a file of the same size': (file, bytes) => writeFile(file, Buffer.alloc(bytes.length, 7)),
  'another file that was moved to its place': async (file, bytes) => {
    await writeFile(`${file}.new`, bytes)
    await rename(`${file}.new`, file)
  },
  'an empty file': (file) => writeFile(file, ''),
}

describe.each(Object.entries(changes))('after a file was replaced by %s', (_, change) => {
  test('every reader fails with its name', async () => {
    const { frame, task_id, file, path } = await taskOf('a.jpg', before)
    await change(file, before)
    for (const [name, read] of Object.entries(readers))
      await expect(read(frame, task_id), name).rejects.toMatchObject(changed(path))
  })

  test('every reader of an archive member fails with the name of the archive', async () => {
    const bytes = await zipFiles({ 'in/a.jpg': before, 'in/b.jpg': other })
    const { frame, task_id, file, path } = await taskOf('all.zip', bytes)
    await change(file, bytes)
    for (const [name, read] of Object.entries(readers))
      if (name !== 'a copy')
        await expect(read(frame, task_id), name).rejects.toMatchObject(changed(path))
  })

  test('stored pictures of it are not returned', async () => {
    const { frame, task_id, file, path } = await taskOf('a.jpg', before)
    for (const read of Object.values(readers)) await read(frame, task_id)
    await change(file, before)
    for (const [name, read] of Object.entries(readers))
      await expect(read(frame, task_id), name).rejects.toMatchObject(changed(path))
  })
})

test('a file that is put back with its modification time is readable again', async () => {
  const { frame, task_id, file } = await taskOf('a.jpg', before)
  await writeFile(file, other)
  await writeFile(file, before)
  await utimes(file, hourAgo, hourAgo)
  for (const read of Object.values(readers)) await read(frame, task_id)
})

test('a file whose neighbour has changed is readable', async () => {
  const one = await taskOf('a.jpg', before)
  const two = await taskOf('a.jpg', before)
  await writeFile(two.file, other)
  for (const read of Object.values(readers)) await read(one.frame, one.task_id)
})

test.each<[string, (file: string) => Promise<unknown>]>([
  ['that was deleted', (file) => rm(file)],
  ['that became a folder', async (file) => rm(file).then(() => mkdir(file))],
])('a file %s is reported as missing with its name', async (_, change) => {
  const { frame, task_id, file, path } = await taskOf('a.jpg', before)
  for (const read of Object.values(readers)) await read(frame, task_id)
  await change(file)
  const missing = { kind: 'not_found', message: `There is no file ${path} on the share.` }
  for (const [name, read] of Object.entries(readers))
    await expect(read(frame, task_id), name).rejects.toMatchObject(missing)
})

test('reading a file that changes meanwhile fails', async () => {
  const bytes = Buffer.concat([before, Buffer.alloc(300_000)])
  const { frame, file, path } = await taskOf('a.jpg', bytes)
  const { chunks: pieces } = await shared.get(frame.key, { start: 0, end: bytes.length - 1 })
  const read = async () => {
    let isFirst = true
    for await (const _ of pieces) {
      if (isFirst) await writeFile(file, Buffer.alloc(bytes.length, 1))
      isFirst = false
    }
  }
  await expect(read()).rejects.toMatchObject(changed(path))
})

test('a file with the name of a multi-part upload is read as one file', async () => {
  const { frame, task_id } = await taskOf('a.jpg.parts', before)
  for (const read of Object.values(readers)) await read(frame, task_id)
})

describe('media that was prepared by older versions', () => {
  const old = async (key: string) =>
    frameOf({ key, offset: 0, length: before.length, packing: 'stored' })

  test('is still read', async () => {
    const { path, task_id } = await taskOf('a.jpg', before)
    const frame = await old(`share:${path}`)
    const { chunks: pieces } = await pictures.original(located(frame, task_id))
    expect(await gatherBytes(pieces)).toEqual(before)
  })

  test('fails with its name when its file has become shorter', async () => {
    const { path, file, task_id } = await taskOf('a.jpg', before)
    await writeFile(file, before.subarray(0, 100))
    const frame = await old(`share:${path}`)
    await expect(pictures.original(located(frame, task_id))).rejects.toMatchObject(changed(path))
  })
})
