import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { storedZip } from '../support/archives.ts'
import type { AnyJson } from '../support/client.ts'
import { rectangle, taskWithMedia } from '../support/factories.ts'
import { annotationFile, createImages, formOf } from '../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'

/** Returns a server that can be killed by SIGKILL and started again on the same data. */
async function killable(env?: Record<string, string>) {
  const { path, remove } = dataDirectory()
  const started: Reticle[] = []
  onTestFinished(async () => {
    for (const reticle of started) await reticle.stop()
    remove()
  })
  const start = async () => {
    const reticle = await startReticle(path, env)
    started.push(reticle)
    return reticle
  }
  return { start, first: await start() }
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
  const { start, first } = await killable()
  const { rq_id } = await begin(first.admin)
  await untilStarted(first.admin, rq_id)
  await first.kill()
  const second = await start()
  return { second, request: await second.admin.ended(rq_id) }
}

test('an export continues after the server was killed', async () => {
  const { second, request } = await killDuring(async (api) => {
    const task = await taskWithMedia(api, { files: await createImages(20) })
    const shapes = Array.from({ length: 40_000 }, (_, at) => rectangle(task.labels[0].id, at % 20))
    await api.done('PUT', `/tasks/${task.id}/annotations/`, { json: { shapes } })
    return api.done('POST', `/tasks/${task.id}/dataset/export?format=COCO%201.0`)
  })
  expect(request).toMatchObject({ status: 'finished', report: { created: { shapes: 40_000 } } })
  expect((await second.admin.bytes(request.result_url)).status).toBe(200)
})

test('images become one task although the server was killed', async () => {
  const archive = storedZip(await createImages(6000))
  let task: AnyJson
  const { second, request } = await killDuring(async (api) => {
    task = await api.done('POST', '/tasks', { json: { name: 'many', segment_size: 1000 } })
    const form = formOf([{ name: 'many.zip', bytes: archive }])
    return api.done('POST', `/tasks/${task.id}/data`, { form })
  })
  expect(request).toMatchObject({ status: 'finished' })
  const { size } = await second.admin.done('GET', `/tasks/${task.id}/data/meta`)
  const { count } = await second.admin.done('GET', `/jobs?task_id=${task.id}`)
  expect([size, count]).toEqual([6000, 6])
})

test('calls with idempotency keys take effect once although the server was killed', async () => {
  const { start, first } = await killable()
  const create = (api: Reticle['admin'], at: number) =>
    api.call('POST', '/projects', {
      json: { name: `keyed ${at}` },
      headers: { 'idempotency-key': `key ${at}` },
    })
  const wishes = Array.from({ length: 40 }, (_, at) => at)
  const sent = wishes.map((at) => create(first.admin, at).catch(() => undefined))
  await Promise.race(sent)
  await first.kill()
  const before = await Promise.all(sent)

  const second = await start()
  await endLeasesOfKeys(await second.people())
  for (const at of wishes) {
    const again = await create(second.admin, at)
    expect(again.status, again.text).toBe(201)
    if (before[at]?.status === 201) expect(again.body.id).toBe(before[at]?.body.id)
  }
  expect((await second.admin.done('GET', '/projects?search=keyed')).count).toBe(wishes.length)
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
  const { second, request } = await killDuring(async (api) => {
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
  const { shapes } = await second.admin.done('GET', `/tasks/${task.id}/annotations/`)
  expect(shapes.length).toBe(30_000)
})

test('a worker process that dies is replaced, and its request continues', async () => {
  const { first } = await killable()
  const task = await taskWithMedia(first.admin, { files: await createImages(20) })
  const shapes = Array.from({ length: 40_000 }, (_, at) => rectangle(task.labels[0].id, at % 20))
  await first.admin.done('PUT', `/tasks/${task.id}/annotations/`, { json: { shapes } })
  const { rq_id } = await first.admin.done(
    'POST',
    `/tasks/${task.id}/dataset/export?format=COCO%201.0`,
  )
  await untilStarted(first.admin, rq_id)
  process.kill(conversionOf(first.pid), 'SIGKILL')
  const request = await first.admin.ended(rq_id)
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
