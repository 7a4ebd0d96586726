import { setTimeout as sleep } from 'node:timers/promises'
import { requestRecord } from '@reticle/contracts/testing/records'
import { DomainError, notFound } from '@reticle/kit'
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const { id } = requestRecord()
const asked: unknown[] = []
const left: string[] = []

const line = (given: Parameters<typeof requestRecord>[0]) =>
  Buffer.from(`${JSON.stringify(requestRecord(given))}\n`)

async function* lines(rq_id: string | undefined) {
  try {
    yield line({ status: 'started', progress: 0.5 })
    await sleep(30)
    yield line({ status: 'finished', progress: 1, result_url: '/tasks/1/dataset/download?rq_id=x' })
    if (rq_id === undefined) await new Promise(() => undefined)
  } finally {
    left.push(rq_id ?? 'all')
  }
}

const { send, url } = await startTestGateway({
  services: {
    requests: {
      async followRequests({ rq_id }) {
        asked.push(rq_id)
        if (rq_id === 'unknown') throw notFound()
        if (rq_id === 'one too many')
          throw new DomainError('too_many', 'Too many.', {
            retry_after: 5,
            code: 'too_many_streams',
          })
        return { head: {}, chunks: lines(rq_id) }
      },
    },
  },
})

const path = `/api/requests/${encodeURIComponent(id)}/stream`
const dataOf = (text: string) =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json))

test('a request is streamed until it ends, with absolute links', async () => {
  const answer = await send(path)
  expect(answer.status).toBe(200)
  expect(answer.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
  })
  expect(answer.headers['content-disposition']).toBeUndefined()
  expect(answer.text).toMatch(/^retry: \d+\n\nevent: request\nid: action=export&.*\ndata: \{/)
  expect(dataOf(answer.text)).toMatchObject([
    { id, status: 'started', progress: 0.5, result_url: null },
    { id, status: 'finished', result_url: `${url}/api/tasks/1/dataset/download?rq_id=x` },
  ])
  expect(asked.at(-1)).toBe(id)
})

test('an unknown request gets an error instead of a stream', async () => {
  const answer = await send('/api/requests/unknown/stream')
  expect([answer.status, answer.headers['content-type']]).toEqual([
    404,
    'application/vnd.service+json',
  ])
})

test.each(['/api', '/as/cvat/api'])('one stream too many is refused below %s', async (mount) => {
  const { status, headers } = await send(`${mount}/requests/one%20too%20many/stream`)
  expect(status).toBe(429)
  expect(headers).toMatchObject({ 'retry-after': '5', 'x-error-code': 'too_many_streams' })
})

test('records below the mount of a dialect are translated, with links of the mount', async () => {
  const { text } = await send(`/as/cvat${path}`)
  const [first, last] = dataOf(text)
  expect(first.operation.format).toBe(`${requestRecord().operation.format}`)
  expect(last.result_url).toBe(`${url}/as/cvat/api/tasks/1/dataset/download?rq_id=x`)
})

test('HEAD does not open a stream', async () => {
  const answer = await send(path, { method: 'HEAD' })
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream'])
})

test('all own requests are streamed without delay until the client disconnects', async () => {
  const abort = new AbortController()
  const answer = await fetch(`${url}/api/requests/stream`, {
    headers: { authorization: 'Token anna', 'accept-encoding': 'gzip', 'last-event-id': id },
    signal: abort.signal,
  })
  expect(answer.headers.get('content-encoding')).toBeNull()
  let text = ''
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  while (dataOf(text).length < 2) text += (await reader?.read())?.value ?? ''
  expect(asked.at(-1)).toBeUndefined()
  abort.abort()
})

test('a stopping gateway ends the streams, so that clients reconnect elsewhere', async () => {
  const other = await startTestGateway({
    services: {
      requests: { followRequests: async () => ({ head: {}, chunks: lines(undefined) }) },
    },
  })
  const answer = other.send('/api/requests/stream')
  await sleep(200)
  await other.stop()
  expect(dataOf((await answer).text).length).toBe(2)
})
