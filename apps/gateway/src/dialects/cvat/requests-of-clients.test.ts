import { jobRecord, projectRecord } from '@reticle/contracts/testing/records'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'

/** Special cases of CVAT clients, below the mount and in the native API. */

let job = jobRecord()
let asked: unknown[] = []
beforeEach(() => {
  asked = []
})
const note = <T>(answer: T) => {
  return async (input: unknown) => {
    asked.push(input)
    return answer
  }
}
const layout = { mode: 'gt' as const, validation_frames: [1], disabled_frames: [] }
const page = () => ({ count: 1, results: [job] })

const { send, url } = await startTestGateway({
  services: {
    projects: {
      createProject: note(projectRecord()),
      listProjects: note({ count: 25, results: [projectRecord()] }),
    },
    jobs: {
      getJob: async () => job,
      createJob: async () => job,
      updateJob: async () => job,
      listJobs: async () => page(),
    },
    tasks: {
      getTaskValidationLayout: note(layout),
      updateTaskValidationLayout: note({ mode: null }),
    },
    webhooks: {
      listWebhookEvents: async () => ({
        webhook_type: 'project' as const,
        events: ['create:task' as const, 'update:job' as const],
      }),
    },
    storages: { listCloudStorageContent: note({ content: [], next: null }) },
  },
})
const mount = '/as/cvat/api'
const cvat = 'application/vnd.cvat+json'
const selection = { frame_selection_method: 'manual', frames: [1] }

test.each(['page=', 'page=&page_size=10', 'page=1'])(
  'the first page is returned for ?%s',
  async (query) => {
    for (const api of [mount, '/api']) {
      const { status, json } = await send(`${api}/projects?${query}`)
      expect([status, Object(json()).previous]).toEqual([200, null])
      expect(Object(json()).next).toContain('page=2')
    }
  },
)

test.each([
  ['', 'names'],
  ['python-requests/2.31.0', 'names'],
  ['cvat_sdk/2.58.0', 'names'],
  ['cvat_sdk/2.72.1', 'names'],
  ['cvat_sdk/2.9', 'names'],
  ['cvat_sdk/x.y', 'names'],
  [`${'a'.repeat(10_000)} cvat_sdk/2.80.0`, 'names'],
  ['cvat_sdk/2.73.0', 'objects'],
  ['cvat_cli/2.80.0 (agent) cvat_sdk/2.80.0', 'objects'],
  ['cvat_sdk/3.0', 'objects'],
])('events of webhooks for the client "%s" are %s', async (userAgent, shape) => {
  const headers = { 'user-agent': userAgent }
  const { status, json } = await send(`${mount}/webhooks/events?type=project`, { headers })
  const events = {
    names: ['create:task', 'update:job'],
    objects: [
      { key: 'create:task', group: { display_name: 'Task' } },
      { key: 'update:job', group: { display_name: 'Job' } },
    ],
  }[shape]
  expect([status, json()]).toEqual([200, { webhook_type: 'project', events }])
  const own = await send('/api/webhooks/events?type=project', { headers })
  expect(Object(own.json()).events).toEqual(['create:task', 'update:job'])
})

describe('the header Accept', () => {
  test.each(['text/html', 'text/html,application/xhtml+xml;q=0.9', 'text/*'])(
    'gets the JSON of the dialect for %s',
    async (accept) => {
      const { status, headers } = await send(`${mount}/projects`, { headers: { accept } })
      expect([status, headers['content-type']]).toEqual([200, cvat])
      expect((await send('/api/projects', { headers: { accept } })).status).toBe(406)
    },
  )

  test.each(['text/plain', 'image/png', 'text/html;q=0'])('%s is refused', async (accept) => {
    expect((await send(`${mount}/projects`, { headers: { accept } })).status).toBe(406)
  })
})

describe('the method OPTIONS', () => {
  test.each(['/projects', '/projects/7', '/jobs/', '/tasks/7/annotations'])(
    '%s returns 200 with a body, without a credential',
    async (path) => {
      const { status, headers, json } = await send(mount + path, { method: 'OPTIONS', as: null })
      expect([status, headers['content-type']]).toEqual([200, cvat])
      expect(headers.allow).toContain('OPTIONS')
      expect(json()).toMatchObject({ name: expect.any(String), renders: [cvat] })
    },
  )

  test('returns 204 in the native API, and 404 for an unknown path', async () => {
    const options = { method: 'OPTIONS' } as const
    expect(await send('/api/projects', options)).toMatchObject({ status: 204, text: '' })
    expect((await send(`${mount}/nowhere`, options)).status).toBe(404)
  })
})

describe('the header Location', () => {
  test.each([
    ['POST', '/projects', { name: 'x' }, '/projects/7'],
    ['POST', '/jobs', { type: 'ground_truth', task_id: 12, ...selection }, '/jobs/31'],
  ] as const)('%s %s names the new object', async (method, path, body, place) => {
    for (const api of [mount, '/api']) {
      const { status, headers, json } = await send(api + path, { method, body })
      expect([status, headers.location]).toEqual([201, `${url}${api}${place}`])
      expect(Object(json()).url).toBe(headers.location)
    }
  })

  test('is absent when nothing was created', async () => {
    expect((await send(`${mount}/jobs/31`)).headers.location).toBeUndefined()
    const changed = await send(`${mount}/jobs/31`, { method: 'PATCH', body: {} })
    expect([changed.status, changed.headers.location]).toEqual([200, undefined])
  })
})

test.each([
  ['%2Fa%2Fb', { prefix: 'a/b' }],
  ['//a', { prefix: 'a' }],
  ['/', {}],
  ['a/', { prefix: 'a/' }],
])('content-v2?prefix=%s is read without the leading slash', async (prefix, expected) => {
  await send(`${mount}/cloudstorages/9/content-v2?prefix=${prefix}`)
  expect(asked).toEqual([{ id: 9, ...expected }])
})

test('in the native API a key may begin with a slash', async () => {
  await send('/api/cloudstorages/9/content-v2?prefix=/a')
  expect(asked).toEqual([{ id: 9, prefix: '/a' }])
})

test('a validation layout has frames_per_job_count', async () => {
  const path = '/tasks/12/validation_layout'
  expect((await send(mount + path)).json()).toEqual({ ...layout, frames_per_job_count: null })
  const changed = await send(mount + path, { method: 'PATCH', body: { disabled_frames: [] } })
  expect(changed.json()).toEqual({ mode: null, frames_per_job_count: null })
  expect((await send(`/api${path}`)).json()).toEqual(layout)
})

test.each([
  [{ project_id: null, bug_tracker: '' }, null],
  [{ project_id: null, bug_tracker: 'https://bugs.example.org' }, 'https://bugs.example.org'],
  [{ project_id: 7, bug_tracker: '' }, ''],
  [{ project_id: 7, bug_tracker: 'https://bugs.example.org' }, 'https://bugs.example.org'],
])('a job of %j has the bug tracker %j', async (given, expected) => {
  job = jobRecord(given)
  const bodies = [
    await send(`${mount}/jobs/31`),
    await send(`${mount}/jobs/31`, { method: 'PATCH', body: { state: 'new' } }),
    await send(`${mount}/jobs`, {
      method: 'POST',
      body: { type: 'ground_truth', task_id: 12, ...selection },
    }),
  ].map((answer) => Object(answer.json()))
  bodies.push(Object((await send(`${mount}/jobs`)).json()).results[0])
  expect(bodies.map((body) => body.bug_tracker)).toEqual(Array(4).fill(expected))
  expect(Object((await send('/api/jobs/31')).json()).bug_tracker).toBe(given.bug_tracker)
})
