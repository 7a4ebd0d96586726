import { beforeAll, describe, expect, test } from 'vitest'
import { type AnyJson, createApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { longAgo } from '../../support/past.ts'
import { createUserFactory, type RegisteredUser } from '../../support/people.ts'
import { annotationFile } from '../../support/pictures.ts'
import { basic } from '../../support/reticle.ts'
import { useOwnServer } from '../../support/test-server.ts'

/** History of annotations over HTTP. See docs/spec/annotations.md#history. */

const reticle = useOwnServer()
const { newPerson } = createUserFactory(() => reticle)
let anna: RegisteredUser
let bert: RegisteredUser
beforeAll(async () => {
  anna = await newPerson()
  bert = await newPerson()
})

/** Creates a task with two jobs and one label. */
async function setUp() {
  const task = await taskWithMedia(anna.api, { segment_size: 2 })
  const [first, second] = await jobsOf(anna.api, task.id)
  const { results } = await anna.api.done('GET', `/labels?task_id=${task.id}`)
  const set = `/jobs/${first.id}/annotations/`
  const put = (shapes: AnyJson[]) => anna.api.done('PUT', set, { json: { shapes } })
  const create = (shapes: AnyJson[]) =>
    anna.api.done('PATCH', `${set}?action=create`, { json: { shapes } })
  const revisions = `/jobs/${first.id}/annotations/revisions`
  return { task, job: first, second, label: results[0], set, put, create, revisions }
}

const codeOf = ({ status, headers }: { status: number; headers: Headers }) => [
  status,
  headers.get('x-error-code'),
]

describe('revisions', () => {
  test('revisions of a job and of its task can be listed, filtered and paged', async () => {
    const { task, job, second, label, set, put, revisions } = await setUp()
    const sent = { json: { shapes: [rectangle(label.id), rectangle(label.id)] } }
    const answer = await anna.api.call('PUT', set, sent)
    await put([rectangle(label.id)])
    await anna.api.done('DELETE', set)
    const other = { json: { shapes: [rectangle(label.id, 2)] } }
    await anna.api.done('PATCH', `/jobs/${second.id}/annotations/?action=create`, other)

    const all = await anna.api.done('GET', revisions)
    expect(all.results.map((one: AnyJson) => [one.revision, one.action])).toEqual([
      [3, 'delete'],
      [2, 'replace'],
      [1, 'replace'],
    ])
    const { id, username, first_name, last_name } = await anna.api.done('GET', '/users/self')
    expect(all.results[2]).toEqual({
      ...{ revision: 1, job_id: job.id, action: 'replace', readable: true },
      counts: { created: 2, updated: 0, deleted: 0 },
      created_date: expect.any(String),
      author: {
        url: expect.stringMatching(/^http.*\/users\//),
        id,
        username,
        first_name,
        last_name,
      },
      request_id: answer.headers.get('x-request-id'),
      rq_id: null,
    })
    const page = await anna.api.done('GET', `${revisions}?page_size=2&sort=revision`)
    expect([page.count, page.results[0].revision, page.next]).toEqual([3, 1, expect.any(String)])
    const filter = encodeURIComponent(JSON.stringify({ '==': [{ var: 'action' }, 'delete'] }))
    expect((await anna.api.done('GET', `${revisions}?filter=${filter}`)).count).toBe(1)
    expect((await anna.api.done('GET', `${revisions}?action=replace`)).count).toBe(2)
    expect((await anna.api.done('GET', `${revisions}?author=${username}`)).count).toBe(3)
    expect((await anna.api.done('GET', `${revisions}?author=nobody`)).count).toBe(0)

    const ofTask = await anna.api.done('GET', `/tasks/${task.id}/annotations/revisions`)
    expect(ofTask.count).toBe(4)
    expect(ofTask.results[0]).toMatchObject({ job_id: second.id, revision: 1, action: 'create' })
  })

  test('a revision made by an import names the request', async () => {
    const { label, set, put, revisions } = await setUp()
    await put([rectangle(label.id)])
    const coco = {
      images: [{ id: 1, file_name: '0.png', width: 8, height: 8 }],
      ...{ annotations: [], categories: [{ id: 1, name: 'car' }] },
    }
    const form = annotationFile(JSON.stringify(coco), 'a.json')
    const request = await anna.api.finished(
      await anna.api.done('POST', `${set}?format=COCO%201.0`, { form }),
    )
    const { results } = await anna.api.done('GET', revisions)
    expect(results[0]).toMatchObject({ action: 'import', request_id: null, rq_id: request.id })
  })

  test('an old revision is read exactly as it was, and an unknown revision is 404', async () => {
    const { label, set, put, create, revisions } = await setUp()
    await put([rectangle(label.id)])
    const first = (await anna.api.call('GET', set)).text
    await create([rectangle(label.id, 1)])
    const second = (await anna.api.call('GET', set)).text
    await put([])
    expect((await anna.api.call('GET', `${revisions}/1`)).text).toBe(first)
    expect((await anna.api.call('GET', `${revisions}/2/`)).text).toBe(second)
    expect((await anna.api.call('GET', `${revisions}/4`)).status).toBe(404)
    expect((await anna.api.call('GET', `${revisions}/0`)).status).toBe(404)
  })
})

test('the diff of two revisions lists the created, updated and deleted objects', async () => {
  const { job, label, set, put, create } = await setUp()
  const { shapes } = await put([rectangle(label.id), rectangle(label.id, 1)])
  const [kept, deleted] = shapes
  await anna.api.done('PATCH', `${set}?action=update`, {
    json: { shapes: [{ id: kept.id, z_order: 7 }] },
  })
  await anna.api.done('PATCH', `${set}?action=delete`, { json: { shapes: [{ id: deleted.id }] } })
  const { shapes: made } = await create([rectangle(label.id)])
  const none = { tags: [], shapes: [], tracks: [] }
  const diff = `/jobs/${job.id}/annotations/diff`
  expect(await anna.api.done('GET', `${diff}?from=1`)).toEqual({
    ...{ from: 1, to: 4, created: { ...none, shapes: made } },
    updated: { ...none, shapes: [{ before: kept, after: { ...kept, z_order: 7 } }] },
    deleted: { ...none, shapes: [deleted] },
  })
  expect(await anna.api.done('GET', `${diff}?from=1&to=2`)).toMatchObject({ to: 2, created: none })
  expect((await anna.api.call('GET', diff)).status).toBe(400)
  expect((await anna.api.call('GET', `${diff}?from=x`)).status).toBe(400)
  expect((await anna.api.call('GET', `${diff}?from=9`)).status).toBe(404)
})

describe('restoring a revision', () => {
  test('a restore brings back the set with its ids, honours If-Match and its idempotency key', async () => {
    const { job, label, set, put, revisions } = await setUp()
    await put([rectangle(label.id), rectangle(label.id, 1)])
    const before = await anna.api.call('GET', set)
    const etag = String(before.headers.get('etag'))
    await put([])
    const stale = { headers: { 'if-match': etag } }
    const refused = await anna.api.call('POST', `${revisions}/1/restore`, stale)
    expect(codeOf(refused)).toEqual([412, 'annotations_changed'])

    const keyed = { headers: { 'idempotency-key': 'once' } }
    const restored = await anna.api.call('POST', `${revisions}/1/restore`, keyed)
    expect([restored.status, restored.text]).toEqual([200, before.text])
    expect(restored.headers.get('etag')).toBe(`"a${job.id}-3"`)
    const again = await anna.api.call('POST', `${revisions}/1/restore`, keyed)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await anna.api.call('GET', set)).text).toBe(before.text)
    const { results } = await anna.api.done('GET', revisions)
    expect(results[0]).toMatchObject({
      ...{ revision: 3, action: 'restore', counts: { created: 2, updated: 0, deleted: 0 } },
    })
    expect((await anna.api.call('POST', `${revisions}/9/restore`)).status).toBe(404)
  })

  test('a restore of objects whose label was deleted is refused and changes nothing', async () => {
    const { task, label, set, put, revisions } = await setUp()
    await put([rectangle(label.id)])
    const labels = [{ name: 'bus' }, { id: label.id, deleted: true }]
    await anna.api.done('PATCH', `/tasks/${task.id}`, { json: { labels } })
    await expect
      .poll(async () => (await anna.api.done('GET', revisions)).results[0], { timeout: 60_000 })
      .toMatchObject({ action: 'label_change', counts: { created: 0, updated: 0, deleted: 1 } })
    const refused = await anna.api.call('POST', `${revisions}/1/restore`)
    expect(codeOf(refused)).toEqual([409, 'label_missing'])
    expect(refused.body).toMatchObject({
      detail: expect.stringContaining(`"${label.name}"`),
      missing: [label.id],
      missing_labels: [{ id: label.id, name: label.name }],
    })
    expect((await anna.api.done('GET', set)).shapes).toEqual([])
    expect((await anna.api.done('GET', `${revisions}/1`)).shapes).toHaveLength(1)
  })
})

test('history is readable with the right to view annotations, and restorable with the right to edit', async () => {
  const { task, job, label, put, revisions } = await setUp()
  await put([rectangle(label.id)])
  const queries = [
    ['GET', `/tasks/${task.id}/annotations/revisions`],
    ['GET', revisions],
    ['GET', `${revisions}/1`],
    ['GET', `/jobs/${job.id}/annotations/diff?from=1`],
    ['POST', `${revisions}/1/restore`],
  ] as const
  for (const [method, url] of queries) {
    expect((await bert.api.call(method, url)).status, `${method} ${url}`).toBe(403)
  }
  await reticle.admin.done('PATCH', `/jobs/${job.id}`, { json: { assignee: bert.id } })
  expect((await bert.api.call('GET', `${revisions}/1`)).status).toBe(200)
  expect((await bert.api.call('POST', `${revisions}/1/restore`)).status).toBe(200)
})

test('a revision whose data was dropped is answered 410, and the newest revision stays readable', async () => {
  const { job, label, set, put, revisions } = await setUp()
  await put([rectangle(label.id)])
  await put([rectangle(label.id, 1)])
  const { text } = await anna.api.call('GET', set)
  const aged = `update annotations.revisions set created_date = created_date - interval '91 days'
    where job_id = $1`
  await longAgo(await reticle.people(), aged, [job.id])
  await reticle.restart() // the sweep runs when the service starts
  const api = createApiClient(`${reticle.url}/api`, basic)
  const read = () => api.call('GET', `${revisions}/1`)
  await expect
    .poll(async () => codeOf(await read()), { timeout: 60_000 })
    .toEqual([410, 'revision_expired'])
  const queries = [
    ['GET', `/jobs/${job.id}/annotations/diff?from=1`],
    ['POST', `${revisions}/1/restore`],
  ] as const
  for (const [method, url] of queries) {
    expect(codeOf(await api.call(method, url)), url).toEqual([410, 'revision_expired'])
  }
  expect((await api.call('GET', `${revisions}/2`)).text).toBe(text)
  const { results } = await api.done('GET', revisions)
  expect(results.map((one: AnyJson) => one.readable)).toEqual([true, false])
})
