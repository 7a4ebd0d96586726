import { describe, expect, test, vi } from 'vitest'
import { ApiError, createClient, RequestFailed } from '../index.ts'
import { broken, json, startTestService, type TestAnswer } from '../testing/service.ts'
import { eventData } from './streamed.ts'

const record = (status: string, progress = 0) => ({
  id: 'rq',
  status,
  progress,
  message: status === 'failed' ? 'no label car' : '',
  operation: { type: 'import:annotations' },
})
const events = (...records: object[]) =>
  `retry: 2000\n\n${records.map((one) => `event: request\nid: rq\ndata: ${JSON.stringify(one)}\n\n`).join('')}`
const stream =
  (...records: object[]): TestAnswer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(events(...records))
  }
const clientOf = async (...answers: TestAnswer[]) => {
  const { url, heard } = await startTestService(...answers)
  return { client: createClient({ url }), heard }
}

describe('following a request', () => {
  test('reports every change until its end', async () => {
    const { client, heard } = await clientOf(
      stream(record('queued'), record('started', 0.5), record('finished', 1)),
    )
    const told: number[] = []
    const on_progress = ({ progress }: { progress: number }) => void told.push(progress)
    expect(await client.follow('rq', { on_progress })).toMatchObject({ status: 'finished' })
    expect(told).toEqual([0, 0.5, 1])
    expect(heard).toMatchObject([
      { path: '/requests/rq/stream', headers: { accept: 'text/event-stream' } },
    ])
  })

  test('accepts the result of the call that started it, or a promise of that', async () => {
    const { client } = await clientOf(json(202, { rq_id: 'rq' }), stream(record('finished')))
    const started = client.exportTaskDataset({ id: 1, format: 'COCO 1.0' })
    expect(await client.follow(started)).toMatchObject({ id: 'rq' })
    const refused = Promise.reject<{ rq_id: string }>(new Error('never began'))
    await expect(client.follow(refused)).rejects.toThrow('never began')
  })

  test('continues after failures of all kinds', async () => {
    const cut: TestAnswer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(events(record('started')).slice(0, -9), () => response.destroy())
    }
    const { client, heard } = await clientOf(
      ...[cut, broken, json(200, record('started'))],
      ...[stream(record('started', 0.2)), json(200, record('finished', 1))],
    )
    expect(await client.follow('rq')).toMatchObject({ status: 'finished' })
    expect(heard.map(({ path }) => path)).toEqual([
      ...['/requests/rq/stream', '/requests/rq', '/requests/rq'],
      ...['/requests/rq/stream', '/requests/rq'],
    ])
  })

  test('polls when a proxy buffers the stream', async () => {
    const { client, heard } = await clientOf(
      (response) => void response.writeHead(200).flushHeaders(),
      json(200, record('started')),
      json(200, record('finished')),
    )
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const following = client.follow('rq')
      const moving = setInterval(() => vi.advanceTimersByTime(1000), 5)
      expect(await following).toMatchObject({ status: 'finished' })
      clearInterval(moving)
    } finally {
      vi.useRealTimers()
    }
    expect(heard.map(({ path }) => path)).toEqual([
      ...['/requests/rq/stream', '/requests/rq?wait=5', '/requests/rq?wait=5'],
    ])
  })

  test('fails when the request fails', async () => {
    const { client } = await clientOf(stream(record('failed')))
    const failure = await client.follow('rq').catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(RequestFailed)
    expect(failure).toMatchObject({
      message: 'import:annotations failed: no label car (request rq)',
      request: { status: 'failed' },
    })
  })

  test('fails when the request belongs to another user', async () => {
    const { client } = await clientOf(json(403, { detail: 'No.' }))
    await expect(client.follow('rq')).rejects.toThrow(ApiError)
  })

  test('ends with its signal', async () => {
    const { client } = await clientOf((response) => void response.writeHead(200).flushHeaders())
    const signal = AbortSignal.timeout(50)
    await expect(client.follow('rq', { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('can cancel the request', async () => {
    const { client, heard } = await clientOf((response, heardOne) =>
      heardOne.path.endsWith('/cancel')
        ? response.end()
        : stream(record('failed'))(response, heardOne),
    )
    const following = client.follow('rq')
    await following.cancel()
    await expect(following).rejects.toThrow(RequestFailed)
    expect(heard).toContainEqual(
      expect.objectContaining({ method: 'POST', path: '/requests/rq/cancel' }),
    )
  })
})

test('events are parsed with any chunk boundaries', async () => {
  const text =
    ': comment\r\ndata: one\r\n\r\nevent: x\ndata:two\ndata: three\n\nid: 4\n\ndata: four\r\r'
  for (const size of [1, 2, 3, 1000]) {
    const pieces = async function* () {
      for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
    }
    const seen: string[] = []
    for await (const data of eventData(pieces())) seen.push(data)
    expect(seen.slice(0, 2)).toEqual(['one', 'two\nthree'])
  }
})
