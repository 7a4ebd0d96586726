import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { storedZip } from '../support/archives.ts'
import type { AnyJson, ApiClient } from '../support/client.ts'
import { createImages } from '../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'
import { backupForm } from './backups/round-trip.ts'

/** Restores that do not complete: what remains of them over HTTP and in the rows of the database. */

vi.setConfig({ testTimeout: 180_000 })

const shape = { type: 'rectangle', frame: 0, label: 'car', points: [1, 2, 30, 40], attributes: [] }
const long = JSON.stringify([{ shapes: Array.from({ length: 150_000 }, () => shape) }])
const refused = JSON.stringify([{ shapes: [shape, { ...shape, type: 'polygon' }] }])

/** Builds the backup of a project with two tasks, with these annotations in the second one. */
async function archive(annotations: string): Promise<Buffer> {
  const labels = [{ name: 'car', attributes: [] }]
  const jobs = [{ start_frame: 0, stop_frame: 4, status: 'annotation' }]
  const task = { version: '1.0', name: 'Batch', data: { chunk_size: 5 }, jobs }
  const issue = { job: 0, frame: 0, position: [1, 2], resolved: false, owner: null }
  const comments = [{ message: 'look', owner: null }]
  const files = await createImages(5)
  const text = (name: string, content: unknown) => ({
    name,
    bytes: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
  })
  const media = ['task_0', 'task_1'].flatMap((folder) =>
    files.map(({ name, bytes }) => ({ name: `${folder}/data/${name}`, bytes })),
  )
  return storedZip([
    text('project.json', { version: '1.0', name: 'P', labels }),
    text('annotation_guide.md', 'how'),
    ...['task_0', 'task_1'].map((folder) => text(`${folder}/task.json`, task)),
    text('task_0/annotations.json', [{ shapes: [shape] }]),
    text('task_0/issues.json', [{ ...issue, comments }]),
    text('task_1/annotations.json', annotations),
    ...media,
  ])
}

async function started() {
  const { path, remove } = dataDirectory()
  const all: Reticle[] = []
  onTestFinished(async () => {
    for (const one of all) await one.stop()
    remove()
  })
  const start = async () => {
    const reticle = await startReticle(path)
    all.push(reticle)
    const rows = new pg.Client({ connectionString: await reticle.people() })
    await rows.connect()
    rows.on('error', () => undefined) // the embedded database server ends with the process
    onTestFinished(() => rows.end().catch(() => undefined))
    return { reticle, api: reticle.admin, rows }
  }
  return { start, ...(await start()) }
}

const begin = async (api: ApiClient, bytes: Buffer): Promise<string> =>
  (await api.done('POST', '/projects/backup/', { form: backupForm(bytes) })).rq_id

/** Waits until the annotations of the second task are being written. */
async function storing(api: ApiClient, rq_id: string): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    const { status, progress } = await api.done('GET', `/requests/${encodeURIComponent(rq_id)}`)
    if (progress >= 0.79 || status === 'finished') return expect(status).toBe('started')
    await sleep(5)
  }
}

/** Counts all objects that an administrator sees. */
async function found(api: ApiClient): Promise<number[]> {
  const lists = ['projects', 'tasks', 'jobs', 'issues', 'comments', 'labels']
  return Promise.all(lists.map(async (one) => (await api.done('GET', `/${one}`)).count))
}

const tables = [
  ...['projects.drafts', 'projects.projects', 'projects.tasks', 'projects.guides'],
  ...['annotations.shapes', "requests.blobs where state = 'live'"],
]
/** Counts the remaining rows, as soon as there are none or after half a minute. */
async function left(rows: pg.Client): Promise<number[]> {
  for (let tries = 0; ; tries++) {
    const counts: number[] = []
    for (const table of tables)
      counts.push(Number((await rows.query(`select count(*) from ${table}`)).rows[0].count))
    if (counts.every((count) => count === 0) || tries === 120) return counts
    await sleep(250)
  }
}

/** Names of the events about created objects. */
async function createdEvents(rows: pg.Client): Promise<string[]> {
  const { rows: events } = await rows.query(`select type from (
      select headers->>'event-type' as type from bus.bus_messages
      union all select type from projects.outbox) events
    where type like 'create:%' order by type`)
  return events.map(({ type }: AnyJson) => type)
}

const nothing = tables.map(() => 0)

test('a restore whose last annotations are refused leaves nothing', async () => {
  const { api, rows } = await started()
  const request = await api.ended(await begin(api, await archive(refused)))
  expect(request).toMatchObject({ status: 'failed', result_id: null })
  expect(await found(api)).toEqual([0, 0, 0, 0, 0, 0])
  expect(await left(rows)).toEqual(nothing)
  expect(await createdEvents(rows)).toEqual([])
})

test('a restore that is cancelled while it runs leaves nothing', async () => {
  const { api, rows } = await started()
  const rq_id = await begin(api, await archive(long))
  await storing(api, rq_id)
  expect(await found(api)).toEqual([0, 0, 0, 0, 0, 0])
  await api.done('POST', `/requests/${encodeURIComponent(rq_id)}/cancel`)
  expect(await api.ended(rq_id)).toMatchObject({ status: 'failed', message: 'Cancelled' })
  expect(await left(rows)).toEqual(nothing)
  expect(await found(api)).toEqual([0, 0, 0, 0, 0, 0])
  expect(await createdEvents(rows)).toEqual([])
})

test('a restore whose worker is killed completes once, without leftovers of the first attempt', async () => {
  const { start, api: first, reticle } = await started()
  const rq_id = await begin(first, await archive(long))
  await storing(first, rq_id)
  await reticle.kill()
  const second = await start()
  const request = await second.api.ended(rq_id)
  expect(request).toMatchObject({ status: 'finished', report: { created: { shapes: 150_001 } } })
  expect(await found(second.api)).toEqual([1, 2, 2, 1, 1, 1])
  const hidden = () =>
    second.rows.query('select draft_id from projects.tasks where draft_id is not null')
  expect((await hidden()).rowCount).toBe(2)
  await second.rows.query("update projects.drafts set created_date = now() - interval '25 hours'")
  await second.reticle.stop()
  const third = await start() // the sweep runs at the start
  for (let tries = 0; tries < 120; tries++) {
    const { rows: drafts } = await third.rows.query('select from projects.drafts')
    if (drafts.length === 0) break
    await sleep(250)
  }
  expect(await found(third.api)).toEqual([1, 2, 2, 1, 1, 1])
  const made = ['project', 'task', 'task', 'job', 'job', 'issue', 'comment']
  expect(await createdEvents(third.rows)).toEqual(made.map((one) => `create:${one}`).sort())
  const { rows: projects } = await third.rows.query('select id from projects.projects')
  expect(projects).toEqual([{ id: request.result_id }])
})
