import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeClip } from '@reticle/kit/testing/video/clips'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { storedZip } from '../../support/archives.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf } from '../../support/factories.ts'
import { createImage } from '../../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

/** Files of the share that were replaced after a task was created from them. */

vi.setConfig({ testTimeout: 120_000 })

const { path, remove } = dataDirectory()
const shareDir = mkdtempSync(join(tmpdir(), 'reticle-share-'))
let reticle: Reticle
let api: ApiClient
beforeAll(async () => {
  reticle = await startReticle(path, { RETICLE_SHARE_DIR: shareDir })
  api = reticle.admin
})
afterAll(async () => {
  await reticle.stop()
  remove()
  rmSync(shareDir, { recursive: true, force: true })
})

const sources: Record<string, (file: string) => Promise<void>> = {
  'a.png': async (file) => writeFileSync(file, (await createImage('a.png', 40, 30)).bytes),
  'all.zip': async (file) =>
    writeFileSync(
      file,
      storedZip([await createImage('a.png', 40, 30), await createImage('b.png', 40, 30)]),
    ),
  'a.mp4': async (file) => writeClip(file, { frames: 8 }),
}

const changes: Record<string, (file: string) => void> = {
  'a larger file': (file) =>
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(999)])),
  'a smaller file': (file) => writeFileSync(file, readFileSync(file).subarray(0, 100)),
  'a file of the same size': (file) => writeFileSync(file, Buffer.alloc(statSync(file).size, 7)),
}

let count = 0
async function taskOf(name: string): Promise<{ id: number; file: string; shown: string }> {
  const folder = `t${++count}`
  mkdirSync(join(shareDir, folder))
  const file = join(shareDir, folder, name)
  await sources[name]?.(file)
  const past = new Date(Date.now() - 3_600_000)
  utimesSync(file, past, past)
  const json = { name: 't', labels: [{ name: 'car' }] }
  const { id } = await api.done('POST', '/tasks', { json })
  const media = { image_quality: 70, server_files: [`${folder}/${name}`] }
  await api.finished(await api.done('POST', `/tasks/${id}/data`, { json: media }))
  return { id, file, shown: `${folder}/${name}` }
}

/** Answers of all calls that read media of a task. */
async function answers(id: number): Promise<AnyJson[]> {
  const [job] = await jobsOf(api, id)
  const data = `/tasks/${id}/data?number=0&type=`
  const paths = [
    ...['frame&quality=original', 'frame&quality=compressed', 'preview'].map((one) => data + one),
    ...['chunk&quality=original', 'chunk&quality=compressed'].map((one) => data + one),
    `/tasks/${id}/preview`,
    `/jobs/${job.id}/preview`,
    `/jobs/${job.id}/data?type=chunk&index=0`,
  ]
  return Promise.all(paths.map((one) => api.call('GET', one)))
}

const exported = async (id: number, query: string) =>
  api.ended((await api.done('POST', `/tasks/${id}/${query}`)).rq_id)

const cases = Object.keys(sources).flatMap((name) =>
  Object.keys(changes).map((change) => [change, name] as const),
)

describe.each(cases)('%s in place of %s', (change, name) => {
  test('a replaced file is answered 409 by all reads, and fails exports and backups with its name', async () => {
    const { id, file, shown } = await taskOf(name)
    expect(new Set((await answers(id)).map(({ status }) => status))).toEqual(new Set([200]))
    changes[change]?.(file)
    for (const { status, body, text } of await answers(id)) {
      expect([status, body?.code]).toEqual([409, 'source_changed'])
      expect(text).toContain(shown)
      expect(text).not.toContain(shareDir)
    }
    const backup = await exported(id, 'backup/export?lightweight=false')
    const images = await exported(id, 'dataset/export?format=COCO%201.0&save_images=true')
    for (const { status, message } of [backup, images]) {
      expect([status, message]).toEqual([
        'failed',
        expect.stringContaining(`"${shown}" of the file share has changed`),
      ])
      expect(message).not.toContain(shareDir)
    }
    const without = await exported(id, 'dataset/export?format=COCO%201.0&save_images=false')
    expect(without.status).toBe('finished')
  })
})
