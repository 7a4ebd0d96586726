import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import {
  closing,
  get,
  headers,
  idleTimeoutMs,
  put,
  requestTimeoutMs,
  row,
  workingGateway,
} from '../testing/working-gateway.ts'

const { arrived, begun, dial, log, rows, work } = await workingGateway()

const form =
  '--b\r\nContent-Disposition: form-data; name="annotation_file"; filename="a.json"\r\n\r\n{}\r\n--b--\r\n'

describe('work that takes four times the idle timeout gets its response', () => {
  test.each([
    ['a read of JSON', get('/api/projects/7', closing), '200', '"id":7'],
    [
      'a change of JSON',
      `PATCH /api/projects/7 HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: 12\r\n${closing}\r\n{"name":"p"}`,
      '200',
      '"id":7',
    ],
    ['a deletion', `DELETE /api/projects/7 HTTP/1.1\r\n${headers}${closing}\r\n`, '204', ''],
    ['a body of bytes', `${put('/api/jobs/1/annotations/', 2, closing)}{}`, '200', '{"version":2}'],
    [
      'a body in chunks',
      `PUT /api/jobs/1/annotations/ HTTP/1.1\r\n${headers}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n${closing}\r\n2\r\n{}\r\n0\r\n\r\n`,
      '200',
      '{"version":2}',
    ],
    [
      'a body that is announced by Expect',
      `${put('/api/jobs/1/annotations/', 2, `Expect: 100-continue\r\n${closing}`)}{}`,
      '100',
      '{"version":2}',
    ],
    ['an answer that has begun', get('/api/jobs/1/annotations/', closing), '200', 'ccc'],
    [
      'a compressed answer',
      get('/api/jobs/1/annotations/', `Accept-Encoding: gzip\r\n${closing}`),
      '200',
      '',
    ],
    ['a picture', get('/api/jobs/1/preview', closing), '200', 'jpeg'],
    [
      'an uploaded form',
      `POST /api/jobs/1/annotations/?format=COCO%201.0 HTTP/1.1\r\n${headers}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${form.length}\r\n${closing}\r\n${form}`,
      '202',
      '"rq_id":"r"',
    ],
    [
      'a piece of a file',
      `PATCH /api/tasks/1/data/${randomUUID()} HTTP/1.1\r\n${headers}Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: 1\r\n${closing}\r\na`,
      '409',
      'upload-offset: 5',
    ],
    ['HEAD', `HEAD /api/projects/7 HTTP/1.1\r\n${headers}${closing}\r\n`, '200', ''],
    ['HTTP/1.0', `GET /api/projects/7 HTTP/1.0\r\nAuthorization: Token anna\r\n\r\n`, '200', ''],
    ['the dialect mount', get('/as/cvat/api/projects/7', closing), '200', '"id":7'],
  ])('%s', async (_kind, bytes, status, text) => {
    const started = begun()
    const { seen, closed } = dial(bytes)
    await started
    await sleep(4 * idleTimeoutMs)
    work.emit('release')
    await closed
    expect(seen.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(seen.text).toContain(text)
    expect(rows).toEqual([expect.not.objectContaining({ cause: expect.anything() })])
  })

  test('for each of several requests on one connection', async () => {
    const { socket, seen } = dial('')
    for (let call = 1; call <= 3; call++) {
      const started = begun()
      socket.write(get('/api/projects/7'))
      await started
      await sleep(2 * idleTimeoutMs)
      work.emit('release')
      await expect.poll(() => seen.text.split('"id":7').length).toBe(call + 1)
    }
    expect(rows).toHaveLength(3)
    socket.destroy()
  })

  test('for pipelined requests, in their order', async () => {
    const started = begun(2)
    const { seen, closed } = dial(get('/api/projects/7') + get('/api/projects/8', closing))
    await started
    await sleep(4 * idleTimeoutMs)
    work.emit('release')
    await closed
    expect(seen.text.match(/"id":\d/g)).toEqual(['"id":7', '"id":8'])
    expect(rows).toHaveLength(2)
  })

  test('for a body that the service does not read while it works', async () => {
    const size = 16 * 1024 * 1024
    const started = begun()
    const { socket, seen, closed } = dial(put('/api/jobs/5/annotations/', size, closing))
    socket.write(Buffer.alloc(size, ' '))
    await started
    await sleep(4 * idleTimeoutMs)
    expect(arrived.pieces).toBe(0)
    work.emit('release')
    await closed
    expect(seen.text).toContain(`{"version":${size}}`)
  })

  test('for a body that no route reads while the service works', async () => {
    const size = 16 * 1024 * 1024
    const started = begun()
    const { socket, seen } = dial(
      `DELETE /api/projects/7 HTTP/1.1\r\n${headers}Content-Length: ${size}\r\n\r\n`,
    )
    socket.write(Buffer.alloc(size))
    await started
    await sleep(4 * requestTimeoutMs)
    work.emit('release')
    await expect.poll(() => seen.text).toMatch(/^HTTP\/1.1 204 /)
    socket.destroy()
    await sleep(20)
    expect(rows).toEqual([row({ status: 204 })])
  })
})

describe('a client that is too slow is disconnected', () => {
  test.each([
    ['in a body of bytes', `${put('/api/jobs/1/annotations/', 9)}{`, 'idle_timeout'],
    ['before a body of bytes', put('/api/jobs/1/annotations/', 9), 'idle_timeout'],
    [
      'in a body of JSON',
      `PATCH /api/projects/7 HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
      'idle_timeout',
    ],
    ['in its headers', `GET /api/projects/7 HTTP/1.1\r\n${headers}`, 'request_timeout'],
  ])('%s', async (_where, bytes, cause) => {
    const { seen, closed } = dial(bytes)
    await closed
    expect(seen.text).toMatch(/^HTTP\/1.1 408 /)
    expect(seen.text).toMatch(/x-error-code: request_timeout/i)
    expect(rows).toEqual([row({ status: 408, cause })])
  })

  test('that sends a byte now and then, when its request is not a stream', async () => {
    const patient = await startTestGateway({ log, settings: { requestTimeoutMs } })
    const { socket, seen, closed } = dial(
      `PATCH /api/projects/7 HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n`,
      patient.port,
    )
    const drip = setInterval(() => socket.write(' '), 50)
    await closed
    clearInterval(drip)
    expect(seen.text).toMatch(/^HTTP\/1.1 408 /)
    expect(rows).toEqual([row({ status: 408, cause: 'request_timeout' })])
  })

  test('that does not read its response', async () => {
    const { socket, seen, closed } = dial(get('/api/jobs/3/annotations/'))
    socket.pause()
    await expect.poll(() => rows, { timeout: 60_000 }).toHaveLength(1)
    expect(rows).toEqual([row({ status: 499, cause: 'idle_timeout', answer_status: 200 })])
    socket.resume()
    await closed
    expect(seen.text).not.toMatch(/\r\n0\r\n\r\n$/)
  })
})
