import { forbidden, notFound } from '@reticle/kit'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { expect, test } from 'vitest'
import { startTestGateway, unavailableBlobs } from '../testing/gateway.ts'

const content = '0123456789'
const queries: unknown[] = []
const finished_date = '2026-03-01T10:00:07.900Z'
const file = {
  key: 'requests/user/3/1/0',
  size: content.length,
  filename: 'task_12_Ä.zip',
  etag: '"abc"',
  media_type: 'application/zip',
  finished_date,
}

const { send, blobs } = await startTestGateway({
  settings: { rateUser: 1, presign: true },
  services: {
    requests: {
      async getResultFile(input) {
        queries.push(input)
        if (input.rq_id === 'foreign') throw forbidden()
        if (input.rq_id === 'unknown') throw notFound()
        const [at] = { swept: [2], truncated: [3] }[String(input.rq_id)] ?? [1]
        return { ...file, key: `requests/user/3/${at}/0` }
      },
    },
  },
})
await blobs.put(file.key, bytesOf(content))
const path = '/api/tasks/12/dataset/download?rq_id=a'
const get = (headers: Record<string, string> = {}) => send(path, { headers })

test('a result is sent completely, with all headers that a client needs to save it', async () => {
  const { status, headers, text } = await get()
  expect({ status, text }).toEqual({ status: 200, text: content })
  expect(headers).toMatchObject({
    'content-type': 'application/zip',
    'content-length': '10',
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename="task_12__.zip"; filename*=UTF-8''task_12_%C3%84.zip`,
    'content-security-policy': 'sandbox',
    etag: '"abc"',
    'last-modified': 'Sun, 01 Mar 2026 10:00:07 GMT',
  })
  expect(queries[0]).toEqual({ target: 'task', id: 12, rq_id: 'a' })
})

test('results of jobs are requested from the service with the target job', async () => {
  expect((await send('/api/jobs/31/dataset/download?rq_id=b')).text).toBe(content)
  expect(queries.at(-1)).toEqual({ target: 'job', id: 31, rq_id: 'b' })
})

test('HEAD returns only headers', async () => {
  const { status, headers, text } = await send(path, { method: 'HEAD' })
  expect({ status, text, length: headers['content-length'] }).toEqual({
    status: 200,
    text: '',
    length: '10',
  })
})

test.each([
  ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
  ['bytes=-3', 206, '789', 'bytes 7-9/10'],
  ['bytes=8-', 206, '89', 'bytes 8-9/10'],
  ['bytes=0-1,4-5', 200, content, undefined],
])('the range %s is %i', async (range, status, text, shown) => {
  const answer = await get({ range })
  expect(answer).toMatchObject({ status, text })
  expect(answer.headers['content-range']).toBe(shown)
  expect(answer.headers['content-length']).toBe(String(text.length))
})

test('100 ranges return the whole file, and an inverted range is not satisfiable', async () => {
  const ranges = Array.from({ length: 100 }, (_, at) => `${at}-${at}`)
  expect((await get({ range: `bytes=${ranges.join(',')}` })).status).toBe(200)
  const answer = await get({ range: 'bytes=9-1' })
  expect(answer.status).toBe(416)
  expect(answer.headers).toMatchObject({
    'content-range': 'bytes */10',
    'x-error-code': 'range_not_satisfiable',
    'content-type': 'application/vnd.service+json',
  })
  expect(answer.headers['content-disposition']).toBeUndefined()
})

test.each([
  ['"abc"', 206],
  ['Sun, 01 Mar 2026 10:00:07 GMT', 206],
  ['"other"', 200],
  ['W/"abc"', 200],
])('If-Range %s is %i', async (condition, status) => {
  expect((await get({ range: 'bytes=0-1', 'if-range': condition })).status).toBe(status)
})

test('a result with a known entity tag returns 304', async () => {
  expect(await get({ 'if-none-match': '"abc"' })).toMatchObject({ status: 304, text: '' })
})

test('the service refuses a foreign or unknown result', async () => {
  expect((await send('/api/tasks/12/dataset/download?rq_id=foreign')).status).toBe(403)
  expect((await send('/api/tasks/12/dataset/download?rq_id=unknown')).status).toBe(404)
})

test('a result without its object has expired', async () => {
  const answer = await send('/api/tasks/12/dataset/download?rq_id=swept')
  expect(answer.status).toBe(404)
  expect(answer.json()).toMatchObject({
    detail: 'The exported file has expired, please retry exporting',
    code: 'result_expired',
  })
  expect(answer.headers['content-disposition']).toBeUndefined()
})

test('a truncated object is not sent', async () => {
  await blobs.put('requests/user/3/3/0', bytesOf('01234'))
  const answer = await send('/api/tasks/12/dataset/download?rq_id=truncated')
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2'])
})

test('a store without presigned URLs ignores the setting for them', async () => {
  expect((await send(path)).status).toBe(200)
})

test('an unavailable store is reported as 503', async () => {
  const { send } = await startTestGateway({
    blobs: await unavailableBlobs(),
    services: { requests: { getResultFile: async () => file } },
  })
  for (const method of ['GET', 'HEAD'] as const) {
    const { status, headers } = await send(path, { method })
    expect([status, headers['retry-after']]).toEqual([503, '2'])
  }
})

test('a read-only token may download', async () => {
  expect((await send(path, { as: 'reader' })).status).toBe(200)
})
