import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startS3 } from '@reticle/kit/testing/s3-server'
import { writeClip } from '@reticle/kit/testing/video/clips'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { unzip } from '../../support/archives.ts'
import { bucketOf } from '../../support/buckets.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { createImages, formOf } from '../../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'
import { describeTask } from '../backups/described.ts'
import { backupOf, restoreOf } from '../backups/round-trip.ts'

/** Backups of tasks whose media come from each kind of source. */

vi.setConfig({ testTimeout: 120_000 })

const store = await startS3()
const { path, remove } = dataDirectory()
const folder = mkdtempSync(join(tmpdir(), 'reticle-backups-'))
const [shareDir, clips] = [join(folder, 'share'), join(folder, 'clips')]
const own = await createImages(3)
let reticle: Reticle
let api: ApiClient
beforeAll(async () => {
  mkdirSync(join(shareDir, 'street'), { recursive: true })
  mkdirSync(clips)
  for (const { name, bytes } of own) writeFileSync(join(shareDir, 'street', name), bytes)
  reticle = await startReticle(path, { RETICLE_SHARE_DIR: shareDir })
  api = reticle.admin
})
afterAll(async () => {
  await reticle.stop()
  await store.close()
  remove()
  rmSync(folder, { recursive: true, force: true })
})

/** Creates a task with this media. */
async function taskOf(data: { json: AnyJson } | { form: FormData }): Promise<number> {
  const json = { name: 't', labels: [{ name: 'car' }] }
  const { id } = await api.done('POST', '/tasks', { json })
  await api.finished(await api.done('POST', `/tasks/${id}/data`, data))
  return id
}

/** Backs up and restores the task; returns the id of the copy and the names of the data files in the archive. */
async function restored(id: number, query = '') {
  const archive = await backupOf(api, `tasks/${id}`, query)
  const request = await restoreOf(api, archive, 'tasks')
  expect(request.message).toBe('')
  const files = [...(await unzip(archive)).keys()].filter((name) => name.startsWith('data/'))
  return { copy: request.result_id, files }
}

const asLocal = (described: AnyJson) => ({
  ...described,
  meta: { ...described.meta, storage: 'local', cloud_storage_id: null },
})

test('a restored video task has the same frames, even after the original task was deleted', async () => {
  const file = join(clips, 'a.mp4')
  const chapters = [{ start: 0, title: 'one' }, { start: 0.08 }, { start: 0.2, title: 'three' }]
  writeClip(file, { frames: 12, options: { bf: '3' }, chapters })
  const fields = { start_frame: '2', stop_frame: '10', frame_filter: 'step=2' }
  const form = formOf([{ name: 'a.mp4', bytes: readFileSync(file) }], fields)
  const id = await taskOf({ form })
  const before = await describeTask(api, id)
  const { copy, files } = await restored(id)
  expect(files).toEqual(['data/manifest.jsonl', 'data/a.mp4'])
  await api.done('DELETE', `/tasks/${id}`)
  expect(before).toMatchObject({ size: 5, mode: 'interpolation' })
  expect(before.meta.chapters).toEqual([
    { id: 0, start: 0, stop: 1, metadata: { title: '' } },
    { id: 1, start: 2, stop: 4, metadata: { title: 'three' } },
  ])
  expect(await describeTask(api, copy)).toEqual(before)
})

test('files of the share are always stored in the archive, and become local files on restore', async () => {
  const json = { image_quality: 70, server_files: ['street/'] }
  const id = await taskOf({ json })
  const before = await describeTask(api, id)
  expect(before.meta.storage).toBe('share')
  const { copy, files } = await restored(id, '?lightweight=true')
  const names = own.map(({ name }) => `data/street/${name}`)
  expect(files.sort()).toEqual([...names, 'data/manifest.jsonl'].sort())
  expect(await describeTask(api, copy)).toEqual(asLocal(before))
})

async function taskInBucket(name: string) {
  const objects = Object.fromEntries(own.map((one) => [`frames/${one.name}`, one.bytes]))
  const storage = await api.done('POST', '/cloudstorages', {
    json: bucketOf(store, name, objects),
  })
  const json = { image_quality: 70, cloud_storage_id: storage.id, server_files: ['frames/'] }
  const id = await taskOf({ json })
  return { id, storage, before: await describeTask(api, id) }
}

test('a lightweight backup lists files of a bucket, which are readable once a storage is named', async () => {
  const { id, storage, before } = await taskInBucket('light')
  const { copy, files } = await restored(id)
  expect(files).toEqual(['data/manifest.jsonl'])
  const missed = await describeTask(api, copy)
  expect(missed.meta).toEqual({ ...before.meta, cloud_storage_id: null })
  expect(missed.pictures.map((one: string) => one.slice(0, 3))).toEqual(['409', '409', '409'])
  const json = { cloud_storage_id: storage.id }
  await api.done('PATCH', `/tasks/${copy}/data/meta`, { json })
  expect(await describeTask(api, copy)).toEqual(before)
})

test('a full backup contains the files of a bucket, which is no longer needed after the restore', async () => {
  const { id, before } = await taskInBucket('heavy')
  const { copy, files } = await restored(id, '?lightweight=false')
  expect(files).toHaveLength(4)
  store.buckets.set('heavy', new Map())
  expect(await describeTask(api, copy)).toEqual(asLocal(before))
})
