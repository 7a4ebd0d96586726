import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AnyJson, ApiClient, ApiRequestInit } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { annotationFile } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Idempotency keys and conditional requests over HTTP. See docs/spec/rest.md#idempotency-keys. */

let reticle: ServerUnderTest
let admin: ApiClient
beforeAll(async () => {
  reticle = await shareReticle()
  admin = reticle.admin
})

const keyed = (key: string, more: ApiRequestInit = {}): ApiRequestInit => ({
  ...more,
  headers: { ...more.headers, 'idempotency-key': key },
})
const create = (key: string, json: AnyJson) => admin.call('POST', '/projects', keyed(key, { json }))
const countOf = async (name: string) =>
  (await admin.done('GET', `/projects?name=${encodeURIComponent(name)}`)).count
const isReplay = ({ headers }: { headers: Headers }) =>
  headers.get('idempotency-replayed') === 'true'
const codeOf = ({ status, headers }: { status: number; headers: Headers }) => [
  status,
  headers.get('x-error-code'),
]

describe('invalid and reused idempotency keys', () => {
  test.each(['', 'x'.repeat(256)])('an Idempotency-Key of %j is answered 400', async (key) => {
    const { status, body } = await create(key, { name: 'never made' })
    expect([status, Object.keys(body)]).toEqual([400, ['Idempotency-Key']])
    expect(await countOf('never made')).toBe(0)
  })

  test('a key reused with another body is answered 409, and nothing is created', async () => {
    await create('one', { name: 'first' })
    expect(codeOf(await create('one', { name: 'second' }))).toEqual([409, 'idempotency_key_reused'])
    expect(await countOf('second')).toBe(0)
  })

  test('two concurrent calls create one project, and the second gets 409 or the same answer', async () => {
    const answers = await Promise.all([1, 2].map(() => create('at once', { name: 'at once' })))
    for (const { status, headers } of answers)
      if (status !== 201) expect([status, headers.get('retry-after')]).toEqual([409, '1'])
    expect(await countOf('at once')).toBe(1)
  })
})

test('a project is created once however often the key is sent, with the same answer', async () => {
  const first = await create('project', { name: 'once' })
  const second = await create('project', { name: 'once' })
  expect([first.status, isReplay(first)]).toEqual([201, false])
  expect([second.status, isReplay(second)]).toEqual([201, true])
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
  expect(await countOf('once')).toBe(1)
})

test('fifty concurrent calls with one key create one project', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => create('fifty', { name: 'fifty' })),
  )
  const made = answers.filter(({ status }) => status === 201)
  expect(made.length).toBeGreaterThan(0)
  expect(new Set(made.map(({ body }) => body.id)).size).toBe(1)
  expect(made.filter((one) => !isReplay(one))).toHaveLength(1)
  expect(await countOf('fifty')).toBe(1)
})

test('a refusal is stored and returned again, even if the call would be valid by now', async () => {
  const json = { name: 'in a project that is not there yet', project_id: 999_999 }
  const sent = keyed('refused', { json })
  const first = await admin.call('POST', '/tasks', sent)
  const second = await admin.call('POST', '/tasks', sent)
  expect([first.status, second.status, isReplay(second)]).toEqual([400, 400, true])
  expect(second.body).toEqual(first.body)
})

describe('repeated calls on annotations', () => {
  let task: AnyJson
  let job: AnyJson
  beforeAll(async () => {
    task = await taskWithMedia(admin)
    ;[job] = await jobsOf(admin, task.id)
  })
  const url = () => `/jobs/${job.id}/annotations/`
  const add = (key: string, shapes: AnyJson[]) =>
    admin.call('PATCH', `${url()}?action=create`, keyed(key, { json: { shapes } }))
  const countShapes = async () => (await admin.done('GET', url())).shapes.length

  test('annotations created twice under one key are stored once, with the same ids', async () => {
    const shapes = [rectangle(task.labels[0].id)]
    const first = await add('shape', shapes)
    const second = await add('shape', shapes)
    expect([first.status, second.status, isReplay(second)]).toEqual([200, 200, true])
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(await countShapes()).toBe(1)
  })

  test('an outdated If-Match is answered 412, and of two concurrent PUTs one set remains', async () => {
    const old = (await admin.call('GET', url())).headers.get('etag') ?? ''
    const put = (count: number, headers = {}) => {
      const shapes = Array.from({ length: count }, () => rectangle(task.labels[0].id))
      return admin.call('PUT', url(), { json: { shapes }, headers })
    }
    const answers = await Promise.all([put(30), put(40)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect([30, 40]).toContain(await countShapes())
    const late = await put(5, { 'if-match': old })
    expect(codeOf(late)).toEqual([412, 'annotations_changed'])
    expect(late.body.etag).toBe((await admin.call('GET', url())).headers.get('etag'))
    expect([30, 40]).toContain(await countShapes())
  })

  test('bodies above 1 MiB are compared while they stream, and a repeat returns the id and tag', async () => {
    const shapes = Array.from({ length: 8000 }, () => rectangle(task.labels[0].id))
    const put = (key: string, sent: AnyJson[]) => {
      const raw = `${JSON.stringify({ shapes: sent })}${' '.repeat(2 ** 20)}`
      return admin.call('PUT', url(), keyed(key, { raw }))
    }
    const first = await put('large', shapes)
    const second = await put('large', shapes)
    expect([second.status, isReplay(second), second.body]).toEqual([200, true, { id: job.id }])
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
    const other = await put('large', shapes.slice(1))
    expect(codeOf(other)).toEqual([409, 'idempotency_key_reused'])
    expect(await countShapes()).toBe(8000)
  })
})

test('an upload repeated under a key starts one request, whatever its form boundary is', async () => {
  const task = await taskWithMedia(admin)
  const post = () =>
    admin.call(
      'POST',
      `/tasks/${task.id}/annotations/?format=COCO%201.0`,
      keyed('upload', {
        form: annotationFile(
          JSON.stringify({ images: [], categories: [], annotations: [] }),
          'a.json',
        ),
      }),
    )
  const first = await post()
  await admin.finished(first.body)
  const second = await post()
  expect([first.status, second.status, isReplay(second)]).toEqual([202, 202, true])
  expect(second.body).toEqual(first.body)
})

/** Returns the address of one resource of each kind with conditional changes, and a valid change of it. */
async function resources(): Promise<[string, string, AnyJson][]> {
  const unique = randomUUID().slice(0, 8)
  const labels = [{ name: 'car' }]
  const project = await admin.done('POST', '/projects', { json: { name: 'conditional', labels } })
  const task = await taskWithMedia(admin, { project_id: project.id })
  const [job] = await jobsOf(admin, task.id)
  const selection = { frame_selection_method: 'random_uniform', frame_count: 1 }
  const truth = await admin.done('POST', '/jobs', {
    json: { type: 'ground_truth', task_id: task.id, ...selection },
  })
  const pinned = { job: job.id, frame: 0, position: [1, 2, 3, 4], message: 'x' }
  const issue = await admin.done('POST', '/issues', { json: pinned })
  const comment = await admin.done('POST', '/comments', { json: { issue: issue.id, message: 'x' } })
  const guide = await admin.done('POST', '/guides', { json: { project_id: project.id } })
  const webhook = await admin.done('POST', '/webhooks', {
    json: {
      ...{ type: 'project', project_id: project.id },
      ...{ target_url: 'http://127.0.0.1:9/', events: 'update:project' },
    },
  })
  const token = await admin.done('POST', '/auth/access_tokens', { json: { name: unique } })
  const slug = `c${unique}`
  const organization = await admin.done('POST', '/organizations', { json: { slug } })
  return [
    ['access token', `/auth/access_tokens/${token.id}`, { name: 'y' }],
    ['webhook', `/webhooks/${webhook.id}`, { description: 'y' }],
    ['guide', `/guides/${guide.id}`, { markdown: 'y' }],
    ['comment', `/comments/${comment.id}`, { message: 'y' }],
    ['issue', `/issues/${issue.id}`, { resolved: true }],
    ['job', `/jobs/${truth.id}`, { state: 'in progress' }],
    ['label', `/labels/${project.labels[0].id}`, { name: 'y' }],
    ['task', `/tasks/${task.id}`, { name: 'y' }],
    ['project', `/projects/${project.id}`, { name: 'y' }],
    ['organization', `/organizations/${organization.id}`, { name: 'y' }],
  ]
}

describe('conditional requests with If-Match', () => {
  let found: [string, string, AnyJson][]
  beforeAll(async () => {
    found = await resources()
  })
  const changes = ['PATCH', 'DELETE'] as const

  test('an outdated tag is answered 412 with the current one, and a malformed tag 400', async () => {
    for (const [name, url, json] of found) {
      const before = await admin.call('GET', url)
      const etag = before.headers.get('etag')
      expect(etag, name).toMatch(/^"[^"]+"$/)
      for (const method of changes) {
        const sent = method === 'PATCH' ? { json } : {}
        const old = await admin.call(method, url, { ...sent, headers: { 'if-match': '"old"' } })
        expect([...codeOf(old), old.body.etag], name).toEqual([
          412,
          'changed_by_someone_else',
          etag,
        ])
        const broken = await admin.call(method, url, { ...sent, headers: { 'if-match': 'old' } })
        expect(broken.status, name).toBe(400)
      }
      expect((await admin.call('GET', url)).text, name).toBe(before.text)
    }
  })

  test('with the current tag or * the change is made and returns a new tag', async () => {
    for (const [name, url, json] of found) {
      const first = (await admin.call('GET', url)).headers.get('etag') ?? ''
      const changed = await admin.call('PATCH', url, { json, headers: { 'if-match': first } })
      const second = changed.headers.get('etag') ?? ''
      expect([changed.status, second === first], name).toEqual([200, false])
      const any = await admin.call('PATCH', url, { json, headers: { 'if-match': '*' } })
      expect([any.status, any.headers.get('etag')], name).toEqual([200, second]) // the change had no effect
      const known = await admin.call('GET', url, { headers: { 'if-none-match': second } })
      expect([known.status, known.text], name).toEqual([304, ''])
    }
  })

  test('with the current tag the resource is deleted', async () => {
    for (const [name, url] of found) {
      const etag = (await admin.call('GET', url)).headers.get('etag') ?? ''
      const deletion = await admin.call('DELETE', url, { headers: { 'if-match': etag } })
      expect(deletion.status, name).toBe(204)
    }
  })
})

test('exactly one of fifty concurrent changes with the same tag succeeds', async () => {
  const { id } = await admin.done('POST', '/projects', { json: { name: 'wanted' } })
  const etag = (await admin.call('GET', `/projects/${id}`)).headers.get('etag') ?? ''
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      admin.call('PATCH', `/projects/${id}`, {
        json: { name: `mine ${at}` },
        headers: { 'if-match': etag },
      }),
    ),
  )
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([200, ...Array(49).fill(412)])
  const winner = answers.find(({ status }) => status === 200)
  expect((await admin.done('GET', `/projects/${id}`)).name).toBe(winner?.body.name)
})
