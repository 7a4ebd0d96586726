import { addPerson } from '@reticle/standalone/administrator'
import { beforeAll, expect, test, vi } from 'vitest'
import { type ApiClient, createApiClient } from '../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../support/factories.ts'
import { type ServerUnderTest, shareReticle } from '../support/reticle.ts'

/** The event log: events of the server and of clients are exported as CSV. See docs/spec/workspace.md#event-log. */
const bo = {
  username: 'bo',
  password: 'a-password-of-bo',
  email: 'bo@example.org',
  role: 'user' as const,
}
let reticle: ServerUnderTest
let asBo: ApiClient
beforeAll(async () => {
  reticle = await shareReticle()
  await addPerson(await reticle.people(), bo)
  const basic = Buffer.from(`${bo.username}:${bo.password}`).toString('base64')
  asBo = createApiClient(`${reticle.url}/api`, `Basic ${basic}`)
})

async function exported(api: ApiClient, query = ''): Promise<string[]> {
  const { rq_id } = await api.done('POST', `/events/export${query}`)
  const { result_url } = await api.finished({ rq_id })
  const { status, headers, bytes } = await api.bytes(result_url)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv'])
  return bytes.toString().trimEnd().split('\n')
}

const scopesOf = (lines: string[]) => lines.slice(1).map((line) => line.split(',')[0])

test('the exported file contains the events that its requester may see', async () => {
  const { admin } = reticle
  const labels = [{ name: 'car' }]
  const project = await admin.done('POST', '/projects', { json: { name: 'street', labels } })
  await admin.done('PATCH', `/projects/${project.id}`, { json: { name: 'road' } })
  const task = await taskWithMedia(admin, { project_id: project.id })
  const [job] = await jobsOf(admin, task.id)
  const shapes = [rectangle(project.labels[0].id)]
  await admin.done('PUT', `/jobs/${job.id}/annotations/`, { json: { shapes } })
  const timestamp = new Date().toISOString()
  const events = [{ scope: 'draw:object', timestamp, job_id: job.id, project_id: project.id }]
  const response = await asBo.call('POST', '/events', { json: { timestamp, events } })
  expect([response.status, response.body.events[0].user_name]).toEqual([201, 'bo'])

  const expected = [
    'create:project',
    'update:project',
    'create:task',
    'create:shapes',
    'draw:object',
  ]
  await vi.waitFor(
    async () => {
      const scopes = scopesOf(await exported(admin, `?project_id=${project.id}`))
      expect(scopes).toEqual(expect.arrayContaining(expected))
    },
    { timeout: 60_000, interval: 200 },
  )
  expect(scopesOf(await exported(asBo))).toEqual(['draw:object'])
  expect((await asBo.call('POST', '/events/export?user_id=1')).status).toBe(403)
  const upside = await asBo.call('POST', '/events/export?from=2026-03-02&to=2026-03-01')
  expect([upside.status, Object.keys(upside.body)]).toEqual([400, ['from']])
})

test('the deprecated export endpoint returns the file once', async () => {
  const timestamp = new Date().toISOString()
  const events = [{ scope: 'zoom:image', timestamp }]
  await asBo.done('POST', '/events', { json: { timestamp, events } })
  const { query_id } = await asBo.done('GET', '/events')
  const state = () => asBo.call('GET', `/events?query_id=${query_id}`)
  await vi.waitFor(async () => expect((await state()).status).toBe(201), { timeout: 60_000 })
  const file = await asBo.call('GET', `/events?query_id=${query_id}&action=download`)
  expect([file.status, scopesOf(file.text.trimEnd().split('\n')).at(-1)]).toEqual([
    200,
    'zoom:image',
  ])
  expect((await state()).status).toBe(404)
})

test.each([
  [{}, 'timestamp'],
  [
    { timestamp: '2026-03-01T10:00:00Z', events: [{ scope: 'x', timestamp: '2026-03-01' }] },
    'events',
  ],
  [
    {
      timestamp: '2026-03-01T10:00:00Z',
      events: [{ scope: 'x', timestamp: '2026-03-01T10:00:00Z' }],
    },
    'scope',
  ],
])('the event body %j is refused by the name of its field', async (json, name) => {
  const answer = await asBo.call('POST', '/events', { json })
  expect([answer.status, Object.keys(answer.body)]).toEqual([400, [name]])
})
