import { requestRecord } from '@reticle/contracts/testing/records'
import { notFound } from '@reticle/kit'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const id = '3b241101-e2bb-4255-8caf-4136c566a962'
const rqId = (user_id = 3) => `action=export&target=events&id=${id}&user_id=${user_id}`
const content = 'scope\ndebug:info\n'
let status: 'queued' | 'started' | 'finished' | 'failed' = 'queued'
const asked: unknown[] = []

const { send, blobs } = await startTestGateway({
  services: {
    requests: {
      async exportEvents(input) {
        asked.push(input)
        return { rq_id: rqId() }
      },
      async getRequest({ rq_id }) {
        if (rq_id !== rqId()) throw notFound()
        return requestRecord({ id: rq_id, status, message: 'the log is away' })
      },
      async getResultFile(input) {
        asked.push(input)
        return {
          ...{ key: 'requests/results/u/1', size: content.length, filename: 'logs.csv' },
          ...{ etag: '"u-1"', media_type: 'text/csv', finished_date: '2026-03-01T10:00:00.000Z' },
        }
      },
    },
  },
})
await blobs.put('requests/results/u/1', bytesOf(content))
const follow = (more = '') => send(`/api/events?query_id=${id}${more}`)

test('the first call of the deprecated protocol starts an export and returns its query_id', async () => {
  const answer = await send('/api/events?task_id=7&from=2026-03-01&org_id=')
  expect([answer.status, answer.json()]).toEqual([202, { query_id: id }])
  expect(answer.headers).toMatchObject({
    deprecation: 'true',
    link: expect.stringMatching(/^<http:.*\/api\/events\/export>; rel="successor-version"$/),
  })
  expect(asked.at(-1)).toEqual({ task_id: 7, from: '2026-03-01T00:00:00.000Z' })
})

test.each(['queued', 'started'] as const)('a call while it is %s returns 202', async (now) => {
  status = now
  for (const more of ['', '&action=download'])
    expect(await follow(more)).toMatchObject({ status: 202 })
})

test('a call when it is ready returns 201 without a body', async () => {
  status = 'finished'
  expect(await follow()).toMatchObject({ status: 201, text: '' })
})

test('a call with action=download returns the file once', async () => {
  status = 'finished'
  const answer = await follow('&action=download')
  expect(answer).toMatchObject({ status: 200, text: content })
  expect(answer.headers).toMatchObject({
    ...{ 'content-type': 'text/csv', deprecation: 'true' },
    'content-disposition': expect.stringContaining('logs.csv'),
  })
  expect(asked.at(-1)).toEqual({ target: 'events', id: 0, rq_id: rqId(), is_last: true })
})

test('a failed export is reported as 500 with its error', async () => {
  status = 'failed'
  const answer = await follow()
  expect([answer.status, answer.json()]).toEqual([
    500,
    expect.objectContaining({ detail: 'the log is away', code: 'export_failed' }),
  ])
})

test.each([
  ['action=upload', 'action'],
  ['location=cloud_storage&cloud_storage_id=1', 'location'],
  ['from=soon', 'from'],
  ['task_id=x', 'task_id'],
])('%s is refused with the name of the parameter', async (query, name) => {
  const answer = await send(`/api/events?${query}`)
  expect([answer.status, answer.json()]).toEqual([400, { [name]: [expect.any(String)] }])
})

test.each(['nothing', '00000000-0000-4000-8000-000000000000'])(
  'a query_id of another caller (%s) is not found',
  async (query_id) => {
    expect((await send(`/api/events?query_id=${query_id}`)).status).toBe(404)
  },
)

test('the file of an export is downloaded by the id of its request', async () => {
  const answer = await send(`/api/events/download?rq_id=${encodeURIComponent(rqId())}`)
  expect(answer).toMatchObject({ status: 200, text: content })
  expect(asked.at(-1)).toEqual({ target: 'events', id: 0, rq_id: rqId() })
})
