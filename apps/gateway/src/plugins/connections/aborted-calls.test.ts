import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { metricsText, resetMetrics } from '@reticle/kit/observe/metrics'
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { get, headers, project, put, row, workingGateway } from '../../testing/working-gateway.ts'

const { arrived, begun, countOf, dial, log, rows, send, slowPieces, work, workLong } =
  await workingGateway()

const endings: Record<string, (socket: Socket) => void> = {
  'that closes its connection': (socket) => socket.destroy(),
  'that resets its connection': (socket) => socket.resetAndDestroy(),
  'that closes its side only': (socket) => socket.end(),
}

describe.each(Object.keys(endings))('a client %s', (how) => {
  const end = (socket: Socket) => endings[how]?.(socket)

  test.each([
    ['while the service works', get('/api/projects/7'), 'getProject'],
    ['while a change is made', `${put('/api/jobs/1/annotations/', 2)}{}`, 'replaceJobAnnotations'],
    ['before a picture is made', get('/api/jobs/1/preview'), 'getJobPreview'],
  ])('%s is logged once, and its work is aborted', async (_when, bytes, operation) => {
    const started = begun()
    const { socket, closed } = dial(bytes)
    await started
    const aborted = once(work, 'aborted')
    end(socket)
    await aborted
    await closed
    expect(rows).toEqual([row({ status: 499, cause: 'client_closed', operation, user_id: 3 })])
    work.emit('release')
  })

  test('is logged in the middle of its body', async () => {
    const { socket, closed } = dial(`${put('/api/jobs/1/annotations/', 9)}{`)
    await expect.poll(() => arrived.pieces).toBe(1)
    end(socket)
    await closed
    await expect.poll(() => rows).toEqual([row({ status: 499, cause: 'client_closed' })])
  })

  test('is logged in the middle of its response', async () => {
    const started = begun()
    const { socket, closed } = dial(get('/api/jobs/1/annotations/'))
    await started
    end(socket)
    await closed
    const answer_status = 200
    const expected = row({ status: 499, cause: 'client_closed', answer_status })
    await expect.poll(() => rows).toEqual([expected])
    work.emit('release')
  })

  test('is logged in the middle of its headers', async () => {
    const { socket, closed } = dial(`GET /api/projects/7 HTTP/1.1\r\n${headers}`)
    await sleep(50)
    end(socket)
    await closed
    await expect.poll(() => rows).toEqual([row({ status: 499, cause: 'client_closed' })])
  })

  test('with pipelined requests is logged for each of them', async () => {
    const started = begun(2)
    const { socket, closed } = dial(get('/api/projects/7') + get('/api/projects/8'))
    await started
    const aborted = countOf('aborted', 2)
    end(socket)
    await aborted
    await closed
    expect(rows).toHaveLength(2)
    expect(rows).toEqual([row({ status: 499 }), row({ status: 499 })])
    work.emit('release')
  })

  test('between two requests is not logged', async () => {
    const { socket, seen, closed } = dial(get('/api/projects/1'))
    await expect.poll(() => seen.text).toContain('"id":1')
    end(socket)
    await closed
    await sleep(20)
    expect(rows).toEqual([row({ status: 200 })])
  })
})

describe('a response that fails after its headers', () => {
  test.each([
    [11, 'stream_broken'],
    [12, 'deadline'],
    [13, 'stream_broken'],
  ])('job %i: is incomplete and logged once: %s', async (id, cause) => {
    const { seen, closed } = dial(get(`/api/jobs/${id}/annotations/`))
    await closed
    expect(seen.text).toMatch(/^HTTP\/1.1 200 /)
    expect(seen.text).not.toMatch(/\r\n0\r\n\r\n$/)
    await expect.poll(() => rows).toEqual([row({ status: 499, cause, answer_status: 200 })])
  })

  test('resets an HTTP/1.0 connection, which has no other sign of failure', async () => {
    const { seen, closed } = dial(
      'GET /api/jobs/11/annotations/ HTTP/1.0\r\nAuthorization: Token anna\r\n\r\n',
    )
    await closed
    expect(seen.isReset).toBe(true)
    await expect.poll(() => rows).toEqual([row({ status: 499, cause: 'stream_broken' })])
  })
})

describe('bytes that are not HTTP', () => {
  test.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    ['a long header', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a long address', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', 400],
    [
      'a body with a bad chunk',
      `PUT /api/jobs/1/annotations/ HTTP/1.1\r\n${headers}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
  ])('%s are logged once', async (_what, bytes, status) => {
    const { seen, closed } = dial(bytes)
    await closed
    expect(seen.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(rows).toEqual([row({ status, cause: 'parse_error' })])
  })

  test('after a running request are refused after its response', async () => {
    const started = begun()
    const { socket, seen, closed } = dial(get('/api/projects/7'))
    await started
    socket.write('garbage\r\n\r\n')
    await sleep(50)
    work.emit('release')
    await closed
    expect(seen.text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
    expect(rows).toEqual([row({ status: 200 }), row({ status: 400, cause: 'parse_error' })])
  })
})

test('requests that run when the server stops get 503, or are reset after their headers', async () => {
  const stopping = await startTestGateway({
    log,
    settings: { stopWithinMs: 100 },
    services: {
      projects: {
        async getProject(_input, { signal }) {
          await workLong(signal)
          return project as never
        },
      },
      annotations: {
        getJobAnnotations: async (_input, { signal }) => ({ head: {}, chunks: slowPieces(signal) }),
      },
    },
  })
  const started = begun(2)
  const early = dial(get('/api/projects/7'), stopping.port)
  const late = dial(get('/api/jobs/1/annotations/'), stopping.port)
  await started
  const aborted = countOf('aborted', 2)
  await stopping.stop()
  await aborted
  expect(early.seen.text).toMatch(/^HTTP\/1.1 503 /)
  expect(early.seen.text).toMatch(/retry-after: 5/i)
  expect(late.seen.text).toMatch(/^HTTP\/1.1 200 /)
  expect(rows).toHaveLength(2)
  expect(rows).toContainEqual(row({ status: 503, cause: 'server_stopping' }))
  const answer_status = 200
  expect(rows).toContainEqual(row({ status: 499, cause: 'server_stopping', answer_status }))
  work.emit('release')
})

test('aborted requests are counted by cause', async () => {
  resetMetrics()
  await dial('garbage\r\n\r\n').closed
  await dial('rubbish\r\n\r\n').closed
  const started = begun()
  const { socket } = dial(get('/api/projects/7'))
  await started
  socket.destroy()
  await expect
    .poll(metricsText)
    .toContain('reticle_http_aborted_calls_total{cause="client_closed"} 1\n')
  expect(await metricsText()).toContain('reticle_http_aborted_calls_total{cause="parse_error"} 2\n')
  work.emit('release')
})

test('a request that its client aborts is logged once', async () => {
  const started = begun()
  const caller = new AbortController()
  const attempt = send('/api/projects/7', { signal: caller.signal })
  await started
  caller.abort()
  await expect(attempt).rejects.toThrow()
  await expect.poll(() => rows).toEqual([row({ status: 499, cause: 'client_closed' })])
  work.emit('release')
})
