import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedZip } from '../support/archives.ts'
import type { AnyJson } from '../support/client.ts'
import { rectangle, taskWithMedia } from '../support/factories.ts'
import { annotationFile, createImages, formOf } from '../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'

/** A server that tests kill by SIGKILL and start again on the same data. */
const { path, remove } = dataDirectory()
let reticle: Reticle
beforeAll(async () => {
  reticle = await startReticle(path)
})
afterAll(async () => {
  await reticle.stop()
  remove()
})

async function killAndRestart() {
  await reticle.kill()
  reticle = await startReticle(path)
}

async function untilStarted(api: Reticle['admin'], rqId: string) {
  for (let tries = 0; tries < 500; tries++) {
    const { status } = await api.done('GET', `/requests/${encodeURIComponent(rqId)}`)
    if (status !== 'queued') break
    await sleep(5)
  }
}

/** Kills the server while the request runs, restarts it, and waits for the end of the request. */
async function killDuring(begin: (api: Reticle['admin']) => Promise<AnyJson>) {
  const { rq_id } = await begin(reticle.admin)
  await untilStarted(reticle.admin, rq_id)
  await killAndRestart()
  return reticle.admin.ended(rq_id)
}

test('an export continues after the server was killed', async () => {
  const request = await killDuring(async (api) => {
    const task = await taskWithMedia(api, { files: await createImages(20) })
    const shapes = Array.from({ length: 40_000 }, (_, at) => rectangle(task.labels[0].id, at % 20))
    await api.done('PUT', `/tasks/${task.id}/annotations/`, { json: { shapes } })
    return api.done('POST', `/tasks/${task.id}/dataset/export?format=COCO%201.0`)
  })
  expect(request).toMatchObject({ status: 'finished', report: { created: { shapes: 40_000 } } })
  expect((await reticle.admin.bytes(request.result_url)).status).toBe(200)
})

test('images become one task although the server was killed', async () => {
  const archive = storedZip(await createImages(6000))
  let task: AnyJson
  const request = await killDuring(async (api) => {
    task = await api.done('POST', '/tasks', { json: { name: 'many', segment_size: 1000 } })
    const form = formOf([{ name: 'many.zip', bytes: archive }])
    return api.done('POST', `/tasks/${task.id}/data`, { form })
  })
  expect(request).toMatchObject({ status: 'finished' })
  const { size } = await reticle.admin.done('GET', `/tasks/${task.id}/data/meta`)
  const { count } = await reticle.admin.done('GET', `/jobs?task_id=${task.id}`)
  expect([size, count]).toEqual([6000, 6])
})

test('calls with idempotency keys take effect once although the server was killed', async () => {
  const create = (api: Reticle['admin'], at: number) =>
    api.call('POST', '/projects', {
      json: { name: `keyed ${at}` },
      headers: { 'idempotency-key': `key ${at}` },
    })
  const wishes = Array.from({ length: 40 }, (_, at) => at)
  const sent = wishes.map((at) => create(reticle.admin, at).catch(() => undefined))
  await Promise.race(sent)
  await reticle.kill()
  const before = await Promise.all(sent)

  reticle = await startReticle(path)
  await endLeasesOfKeys(await reticle.people())
  for (const at of wishes) {
    const again = await create(reticle.admin, at)
    expect(again.status, again.text).toBe(201)
    if (before[at]?.status === 201) expect(again.body.id).toBe(before[at]?.body.id)
  }
  expect((await reticle.admin.done('GET', '/projects?search=keyed')).count).toBe(wishes.length)
})

/** Expires the leases of keys that the killed process held, as would happen after a minute. */
async function endLeasesOfKeys(url: string): Promise<void> {
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  await database.query("update projects.idempotency_keys set leased_until_date = '-infinity'")
  await database.end()
}

test('an import is applied once although the server was killed', async () => {
  let task: AnyJson
  const request = await killDuring(async (api) => {
    const files = await createImages(20)
    task = await taskWithMedia(api, { files })
    const coco = {
      images: files.map(({ name }, at) => ({ id: at + 1, file_name: name, width: 64, height: 48 })),
      categories: [{ id: 1, name: 'car' }],
      annotations: Array.from({ length: 30_000 }, (_, at) => ({
        id: at + 1,
        image_id: (at % 20) + 1,
        category_id: 1,
        bbox: [1, 1, 10, 10],
      })),
    }
    const form = annotationFile(JSON.stringify(coco), 'instances.json')
    return api.done('POST', `/tasks/${task.id}/annotations/?format=COCO%201.0`, { form })
  })
  expect(request).toMatchObject({ status: 'finished', report: { created: { shapes: 30_000 } } })
  const { shapes } = await reticle.admin.done('GET', `/tasks/${task.id}/annotations/`)
  expect(shapes.length).toBe(30_000)
})

test('a worker process that dies is replaced, and its request continues', async () => {
  const task = await taskWithMedia(reticle.admin, { files: await createImages(20) })
  const shapes = Array.from({ length: 40_000 }, (_, at) => rectangle(task.labels[0].id, at % 20))
  await reticle.admin.done('PUT', `/tasks/${task.id}/annotations/`, { json: { shapes } })
  const { rq_id } = await reticle.admin.done(
    'POST',
    `/tasks/${task.id}/dataset/export?format=COCO%201.0`,
  )
  await untilStarted(reticle.admin, rq_id)
  process.kill(conversionOf(reticle.pid), 'SIGKILL')
  const request = await reticle.admin.ended(rq_id)
  expect(request).toMatchObject({ status: 'finished', report: { created: { shapes: 40_000 } } })
})

/** Returns the process id of the worker that the server forked. */
function conversionOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const found = children.find((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('worker.js'),
  )
  return Number(found)
}
