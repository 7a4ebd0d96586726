import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'

const { raw, port } = await startTestGateway({
  settings: { requestTimeoutMs: 400, idleTimeoutMs: 1200 },
})
const authorized = 'Host: x\r\nAuthorization: Token anna\r\n'

function bodyOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
}

/** Invalid bytes on a connection. Row numbers refer to docs/spec/reliability.md#bad-input. */
test.each([
  ['garbage', 'what is this\r\n\r\n', 400],
  ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  [
    'two lengths',
    `POST /api/projects HTTP/1.1\r\n${authorized}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    400,
  ],
  [
    'a length and chunks',
    `POST /api/projects HTTP/1.1\r\n${authorized}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    400,
  ],
  [
    'a header of 20 KB',
    `GET /api/projects HTTP/1.1\r\n${authorized}X: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  [
    '2,000 headers',
    `GET /api/projects HTTP/1.1\r\n${authorized}${'X-Filler: abcdef\r\n'.repeat(2000)}\r\n`,
    431,
  ],
  [
    'more headers than Node reads',
    `GET /api/projects HTTP/1.1\r\n${authorized}Connection: close\r\n${'X: 1\r\n'.repeat(2000)}\r\n`,
    431,
  ],
  ['an address of 20 KB', `GET /api/${'x'.repeat(20_000)} HTTP/1.1\r\n${authorized}\r\n`, 414],
  [
    'a path that climbs',
    `GET /api/projects/1/../2 HTTP/1.1\r\n${authorized}Connection: close\r\n\r\n`,
    404,
  ],
  ['no Host on an unknown path', 'GET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['no Host', 'GET /api/server/about HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  [
    'two Hosts',
    'GET /api/server/about HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
    400,
  ],
  [
    'a Host that is none',
    'GET /api/server/about HTTP/1.1\r\nHost: a"b\r\nConnection: close\r\n\r\n',
    400,
  ],
  ['HTTP/1.0 without a Host', 'GET /api/server/about HTTP/1.0\r\n\r\n', 200],
])('%s', async (_what, bytes, status) => {
  const answer = await raw(bytes)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(answer).toMatch(/^x-service-version: /im)
  if (status !== 200) expect(answer).toMatch(/^x-error-code: /im)
  expect(bodyOf(answer)).toBeTypeOf('object')
})

test('a body that does not arrive is refused with 408', async () => {
  const answer = await raw(
    `POST /api/projects HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"`,
  )
  expect(answer).toMatch(/^HTTP\/1.1 408 /)
  expect(bodyOf(answer)).toMatchObject({ code: 'request_timeout' })
})

test('a body with an announced length above the limit is refused at once, and the connection is closed', async () => {
  const answer = await raw(
    `POST /api/projects HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1.1 413 /)
})

test('a stream may take longer than other requests, but must not stall', async () => {
  const slow = await startTestGateway({
    settings: { requestTimeoutMs: 400, idleTimeoutMs: 1200 },
    services: {
      annotations: {
        async replaceJobAnnotations({ body }) {
          let size = 0
          for await (const piece of body) size += piece.length
          return { head: {}, chunks: bytesOf(`{"version":${size}}`) }
        },
      },
    },
  })
  const head = `PUT /api/jobs/1/annotations/ HTTP/1.1\r\n${authorized}Connection: close\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n`
  const write = async (socket: ReturnType<typeof connect>, parts: number) => {
    socket.write(head)
    for (let sent = 0; sent < parts; sent++) {
      await sleep(500)
      socket.write('1')
    }
  }
  const answered = connect(slow.port, '127.0.0.1')
  await write(answered, 3)
  expect(String((await once(answered, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /)

  const silent = connect(slow.port, '127.0.0.1')
  await write(silent, 1)
  expect(String((await once(silent, 'data'))[0])).toMatch(/^HTTP\/1.1 408 /)
  silent.resume()
  await once(silent, 'close')
})

test('a connection stays open after a response to a body that was not read', async () => {
  const socket = connect(port, '127.0.0.1')
  const body = 'x'.repeat(1000)
  const refused = `POST /api/projects HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  socket.write(refused)
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 401 /)
  socket.write(refused)
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 401 /)
  socket.destroy()
})
