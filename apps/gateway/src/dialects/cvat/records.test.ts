import {
  labelOf,
  projectRecord,
  requestRecord,
  taskRecord,
} from '@reticle/contracts/testing/records'
import { invalidText } from '@reticle/kit'
import { describe, expect, test } from 'vitest'
import { testGateway } from '../../testing/gateway.ts'

/** Translation of records and queries below the mount. */

let asked: unknown[] = []
const note = <T>(answer: T) => {
  return async (input: unknown) => {
    asked.push(input)
    return answer
  }
}

const labels = [labelOf({ name: 'car' })]
const webhook = {
  ...{ url: '/webhooks/5', id: 5, target_url: 'https://example.org/', description: '' },
  ...{ type: 'project' as const, project_id: 7, organization: null, has_secret: true },
  events: 'completed:request[create:task],create:task,update:organization',
  events_list: ['completed:request[create:task]', 'create:task', 'update:organization'],
  ...{ content_type: 'application/json' as const, is_active: true, enable_ssl: true, owner: null },
  dialect: 'service' as const,
  ...{ created_date: '2026-03-01T10:00:00.000Z', updated_date: '2026-03-01T10:00:00.000Z' },
}
const delivery = {
  ...{ id: 1, webhook_id: 5, delivery_id: 'd', event: 'ping', status_code: 200, redelivery: false },
  ...{ attempt: 1, request_duration: 3, changed_fields: '', request: {}, response: '{"ok":true}' },
  ...{ created_date: '2026-03-01T10:00:00.000Z', updated_date: '2026-03-01T10:00:00.000Z' },
}
const format = (name: string) => ({
  ...{ name, ext: 'ZIP', version: '1.1', enabled: true, dimension: '2d' as const },
  ...{ kinds: [], tracks: true, attributes: true, options: [] },
})
const names = ['COCO 1.0', 'Pascal VOC 1.1', 'Service 1.1', 'TFRecord 1.0']
let response = delivery.response

const { send, url } = await testGateway({
  services: {
    projects: {
      getProject: note(projectRecord({ labels })),
      createProject: note(projectRecord({ labels })),
      updateProject: note(projectRecord({ labels })),
    },
    tasks: {
      getTask: note(taskRecord({ status: 'new', data: null, labels })),
      createTask: note(taskRecord({ status: 'new', data: null, labels })),
      updateTask: note(taskRecord({ status: 'validation', data: 4, labels })),
      listTasks: note({ count: 1, results: [taskRecord({ status: 'new', labels })] }),
    },
    requests: {
      getRequest: note(requestOf('Service for images 1.1')),
      listRequests: note({ count: 1, results: [requestOf('Pascal VOC 1.1')] }),
      cancelRequest: note(undefined),
      exportTaskBackup: note({ rq_id: 'x' }),
      exportProjectBackup: note({ rq_id: 'x' }),
      exportTaskDataset: async ({ format }) => {
        const text = "Did you mean 'Service 1.1'? Formats for export: COCO 1.0, Pascal VOC 1.1."
        throw invalidText(`Unknown format '${format}'. ${text}`, 'format_unknown')
      },
    },
    webhooks: {
      getWebhook: note(webhook),
      createWebhook: note(webhook),
      updateWebhook: note(webhook),
      listWebhooks: note({ count: 1, results: [webhook] }),
      listWebhookEvents: note({ webhook_type: 'all' as const, events: webhook.events_list }),
      getDelivery: async () => ({ ...delivery, response }),
      listDeliveries: note({ count: 1, results: [delivery] }),
      pingWebhook: note(delivery),
    },
    server: {
      listFormats: note({
        importers: names.map(format),
        exporters: [...names, 'Service for images 1.1', 'Service for video 1.1'].map(format),
      }),
    },
    identity: {
      getAccessToken: note({
        ...{ id: 5, name: 'ci', read_only: true, last_used_date: null, dialect: 'service' },
        ...{ expiry_date: '2026-12-31T10:20:30.000Z', owner: projectRecord().owner ?? nobody() },
        ...{ created_date: '2026-03-01T10:00:00.000Z', updated_date: '2026-03-01T10:00:00.000Z' },
      }),
    },
  },
})

function nobody(): never {
  throw new Error('the record has an owner')
}

function requestOf(name: string) {
  const request = requestRecord()
  return { ...request, operation: { ...request.operation, format: name } }
}

const mount = '/as/cvat/api'
async function get(path: string) {
  asked = []
  return Object((await send(mount + path)).json())
}

test('labels of projects and tasks are a link', async () => {
  for (const path of ['/projects/7', '/tasks/1']) {
    const owner = path.startsWith('/projects') ? 'project_id=7' : 'task_id=1'
    expect((await get(path)).labels).toEqual({ url: `${url}${mount}/labels?${owner}` })
  }
  const method = 'POST'
  const made = await send(`${mount}/projects`, { method, body: { name: 'x', labels: [] } })
  expect(made.json()).toMatchObject({ labels: { url: expect.any(String) } })
  const changed = await send(`${mount}/tasks/1`, { method: 'PATCH', body: { name: 'x' } })
  expect(changed.json()).toMatchObject({ labels: { url: expect.any(String) }, data: 4 })
})

test('a task without jobs has the status annotation, and no field data instead of null', async () => {
  const task = await get('/tasks/1')
  expect(task.status).toBe('annotation')
  expect(task).not.toHaveProperty('data')
  expect((await get('/tasks')).results[0].status).toBe('annotation')
  expect(await (await send('/api/tasks/1')).json()).toMatchObject({ status: 'new', data: null })
})

const statusIn = (...values: string[]) => ({ op: 'in', field: 'status', values })
const both = statusIn('annotation', 'new')
const logic = (expression: unknown) => `filter=${encodeURIComponent(JSON.stringify(expression))}`
const status = { var: 'status' }

test.each([
  ['status=annotation', both],
  ['status=new', { op: '==', field: 'status', value: 'new' }],
  ['status=completed', { op: '==', field: 'status', value: 'completed' }],
  [logic({ '==': [status, 'annotation'] }), both],
  [logic({ '!': { '==': [status, 'annotation'] } }), { op: 'not', of: both }],
  [
    logic({ in: [status, ['annotation', 'completed']] }),
    statusIn('annotation', 'new', 'completed'),
  ],
  [
    logic({ in: ['ANNOT', status] }),
    { op: 'or', of: [{ op: 'contains', field: 'status', text: 'ANNOT' }, both] },
  ],
  [logic({ in: ['valid', status] }), { op: 'contains', field: 'status', text: 'valid' }],
  [
    logic({ and: [{ '==': [{ var: 'name' }, 'annotation'] }, { '<': [{ var: 'id' }, 5] }] }),
    {
      op: 'and',
      of: [
        { op: '==', field: 'name', value: 'annotation' },
        { op: '<', field: 'id', value: 5 },
      ],
    },
  ],
  [
    `status=annotation&${logic({ or: [{ '==': [status, 'annotation'] }] })}`,
    { op: 'and', of: [{ op: 'or', of: [both] }, both] },
  ],
  ['name=annotation', undefined],
  ['status=', undefined],
])('the status filter in tasks?%s is translated for the service', async (query, filter) => {
  await get(`/tasks?${query}`)
  expect(asked).toMatchObject([filter ? { filter } : {}])
  expect(Object(asked[0]).filter).toEqual(filter)
  expect(Object(asked[0]).status).toBeUndefined()
})

test.each([
  ['status=nonsense', { status: [expect.any(String)] }],
  [logic({ '==': [{ var: 'x' }, 'annotation'] }), ["filter: term 'x' is not supported"]],
  ['filter={', [expect.stringMatching(/^filter: can't parse/)]],
])('tasks?%s is refused like in the native API', async (query, body) => {
  const answers = [await send(`${mount}/tasks?${query}`), await send(`/api/tasks?${query}`)]
  for (const { status, json } of answers) expect([status, json()]).toEqual([400, body])
})

describe('requests below the mount', () => {
  test('contain CVAT names of formats', async () => {
    expect((await get('/requests/x')).operation.format).toBe('CVAT for images 1.1')
    expect((await get('/requests')).results[0].operation.format).toBe('PASCAL VOC 1.1')
    await get('/requests?format=CVAT%201.1')
    expect(asked).toMatchObject([{ filter: { op: '==', field: 'format', value: 'Service 1.1' } }])
  })

  test('are cancelled after their start only if they are exports', async () => {
    asked = []
    const method = 'POST'
    await send(`${mount}/requests/x/cancel`, { method })
    await send('/api/requests/x/cancel', { method, body: { only_exports: true } })
    expect(asked).toEqual([{ rq_id: 'x', only_exports: true }, { rq_id: 'x' }])
  })
})

test.each([
  ['tasks/1', '', false],
  ['projects/7', '', false],
  ['tasks/1', '?lightweight=True', true],
  ['tasks/1', '?lightweight=False', false],
])('a backup of %s%s is requested with lightweight: %s', async (path, query, lightweight) => {
  asked = []
  const answer = await send(`${mount}/${path}/backup/export${query}`, { method: 'POST' })
  expect(answer.status).toBe(202)
  expect(asked).toMatchObject([{ lightweight }])
})

describe('webhooks below the mount', () => {
  test('list only events that CVAT clients know', async () => {
    const events = ['create:task', 'update:organization']
    const shown = await get('/webhooks/5')
    expect(shown.events).toEqual(events)
    expect(shown).not.toHaveProperty('events_list')
    expect((await get('/webhooks')).results[0].events).toEqual(events)
    expect((await get('/webhooks/events')).events).toEqual(events)
    const body = { target_url: 'https://example.org/', type: 'project', project_id: 7, events }
    const made = await send(`${mount}/webhooks`, { method: 'POST', body })
    expect(made.json()).toMatchObject({ events })
    expect(asked.at(-1)).toMatchObject({ body: { events: events.join(',') } })
  })

  test.each<[string, object, string | undefined]>([
    [mount, {}, 'cvat'],
    [mount, { dialect: 'service' }, 'service'],
    ['/api', {}, undefined],
    ['/api', { dialect: 'cvat' }, 'cvat'],
  ])('are created on %s with %j in the dialect %s', async (api, given, dialect) => {
    const hook = { target_url: 'https://example.org/', type: 'project', project_id: 7 }
    const body = { ...hook, events: 'create:task', ...given }
    const made = await send(`${api}/webhooks`, { method: 'POST', body })
    expect(made.status).toBe(201)
    expect(Object(asked.at(-1)).body.dialect).toBe(dialect)
  })

  test('are created in the dialect cvat by a body of its media type', async () => {
    const body = { target_url: 'https://example.org/', type: 'organization', events: 'create:task' }
    const headers = { 'content-type': 'application/vnd.cvat+json' }
    await send('/api/webhooks', { method: 'POST', body: JSON.stringify(body), headers })
    expect(asked.at(-1)).toMatchObject({ body: { dialect: 'cvat' } })
  })

  test('with an unknown dialect are refused', async () => {
    const hook = { target_url: 'https://example.org/', type: 'project', project_id: 7 }
    const body = { ...hook, events: 'create:task', dialect: 'coco' }
    for (const api of ['/api', mount]) {
      const { status, json } = await send(`${api}/webhooks`, { method: 'POST', body })
      expect([status, json()]).toEqual([400, { dialect: [expect.any(String)] }])
    }
  })

  test('keep their dialect on the mount, which does not show it', async () => {
    const path = `${mount}/webhooks/5`
    const body = { description: 'ci' }
    const changed = await send(path, { method: 'PATCH', body })
    expect(asked.at(-1)).toEqual({ id: 5, body })
    for (const record of [changed.json(), await get('/webhooks/5')])
      expect(record).not.toHaveProperty('dialect')
    expect((await send('/api/webhooks/5')).json()).toMatchObject({ dialect: 'service' })
  })

  const responses = async (userAgent: string) => {
    const headers = { 'user-agent': userAgent }
    const read = async (path: string, method = 'GET') =>
      Object((await send(`${mount}/webhooks/5${path}`, { method, headers })).json())
    const { results } = await read('/deliveries')
    const one = await read('/deliveries/1')
    return [one.response, results[0].response, (await read('/ping', 'POST')).response]
  }

  test.each(['', 'python-requests/2.32.3', 'cvat_sdk/2.67.0', 'cvat_sdk/2.80.0', 'cvat_sdk/3.0'])(
    'have deliveries whose response is text for the client "%s"',
    async (userAgent) => {
      for (response of ['{"ok":true}', '', '[1]', '<html>'])
        expect(await responses(userAgent)).toEqual([response, '{"ok":true}', '{"ok":true}'])
    },
  )

  test.each([
    ['{"ok":true}', { ok: true }],
    ['', {}],
    ['[1]', { text: '[1]' }],
    ['<html>', { text: '<html>' }],
  ])(
    'have deliveries whose response %s is an object for SDKs that refuse text',
    async (given, shown) => {
      response = given
      for (const userAgent of ['cvat_sdk/2.58.0', 'cvat_sdk/2.66.0', 'cvat_sdk/1.0'])
        expect(await responses(userAgent)).toEqual([shown, { ok: true }, { ok: true }])
    },
  )
})

test('the list of formats has CVAT names, without formats unknown to CVAT clients', async () => {
  const { importers, exporters } = await get('/server/annotation/formats')
  const shown = (list: { name: string }[]) => list.map(({ name }) => name)
  expect(shown(importers)).toEqual(['COCO 1.0', 'PASCAL VOC 1.1', 'CVAT 1.1'])
  expect(shown(exporters)).toEqual([
    ...['COCO 1.0', 'PASCAL VOC 1.1', 'CVAT for images 1.1', 'CVAT for video 1.1'],
  ])
})

test('access tokens are requested with the time of their expiry', async () => {
  expect((await get('/auth/access_tokens/5')).expiry_date).toBe('2026-12-31T10:20:30.000Z')
  await send('/api/auth/access_tokens/5?with_time=true')
  expect(asked).toEqual([{ id: 5, with_time: true }, { id: 5 }])
})

test('the error for an unknown format lists CVAT names', async () => {
  const path = '/api/tasks/7/dataset/export?format=Service'
  const refusal = async (address: string) => (await send(address, { method: 'POST' })).json()
  expect(await refusal(`/as/cvat${path}`)).toEqual([
    "Unknown format 'Service'. Did you mean 'CVAT 1.1'? Formats for export: COCO 1.0, PASCAL VOC 1.1.",
  ])
  expect(await refusal(path)).toEqual([expect.stringContaining("'Service 1.1'")])
})
