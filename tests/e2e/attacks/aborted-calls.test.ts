import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyJson } from '../../support/client.ts'
import { taskWithMedia } from '../../support/factories.ts'
import { basic, dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'
import { begin, tus } from '../../support/tus.ts'

/** Each call that ends without the answer of its route writes one log line with status 499 and the cause. */

const { path, remove } = dataDirectory()
let reticle: Reticle
let task: AnyJson
let label: AnyJson
beforeAll(async () => {
  reticle = await startReticle(path, { RETICLE_LOG_LEVEL: 'info' })
  task = await taskWithMedia(reticle.admin)
  label = (await reticle.admin.done('GET', `/labels?task_id=${task.id}`)).results[0]
})
afterAll(async () => {
  await reticle.stop()
  remove()
})

/** Log lines about calls with one request id. */
const rowsOf = (requestId: string): AnyJson[] =>
  reticle
    .output()
    .split('\n')
    .filter((line) => line.includes(requestId))
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')

let calls = 0
interface Call {
  id: string
  text: string
}

/** Builds an HTTP request as text, with a body if its headers announce one. */
function callOf(line: string, headers: Record<string, string | number> = {}): Call {
  calls += 1
  const id = `aborted-call-${calls}-end`
  const all = { host: 'x', authorization: basic, 'x-request-id': id, ...headers }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return { id, text: `${line} HTTP/1.1\r\n${head.join('')}\r\n` }
}

const dial = () => connect(Number(new URL(reticle.url).port), '127.0.0.1')

async function expectRow({ id }: Call, operation: string, more: object = {}): Promise<void> {
  const row = { status: 499, cause: 'client_closed', operation, ...more }
  await expect
    .poll(() => rowsOf(id), { message: operation })
    .toEqual([expect.objectContaining(row)])
}

/** Opens a connection and waits until the server has started its answer or sent 100 Continue. */
async function begunWith(text: string): Promise<Socket> {
  const socket = dial()
  socket.write(text)
  await once(socket, 'data')
  return socket
}

const write = (socket: Socket, text: string) =>
  new Promise((done) => socket.write(text, () => done(undefined)))

const form = (field: string) =>
  `--b\r\nContent-Disposition: form-data; name="${field}"; filename="a.zip"\r\n\r\n`

const continued = { expect: '100-continue' }
const json = { ...continued, 'content-type': 'application/json' }
const multipart = {
  ...continued,
  'content-type': 'multipart/form-data; boundary=b',
  'content-length': 5_000_000,
}

interface Abort {
  what: string
  operation: string
  line: () => string
  headers?: Record<string, string | number>
  body: string
}

const inBodies: Abort[] = [
  {
    what: 'half of an annotation set',
    operation: 'replaceTaskAnnotations',
    line: () => `PUT /api/tasks/${task.id}/annotations`,
    headers: { ...json, 'content-length': 5000 },
    body: '{"shapes":[',
  },
  {
    what: 'half of an annotation set on the dialect mount',
    operation: 'replaceTaskAnnotations',
    line: () => `PUT /as/cvat/api/tasks/${task.id}/annotations`,
    headers: { ...json, 'content-length': 5000 },
    body: '{"shapes":[',
  },
  {
    what: 'half of a small body',
    operation: 'createProject',
    line: () => 'POST /api/projects',
    headers: { ...json, 'content-length': 500 },
    body: '{"name":',
  },
  {
    what: 'a chunked body without an end',
    operation: 'createProject',
    line: () => 'POST /api/projects',
    headers: { ...json, 'transfer-encoding': 'chunked' },
    body: '5\r\n{"nam\r\n',
  },
  {
    what: 'half of a backup',
    operation: 'importProjectBackup',
    line: () => 'POST /api/projects/backup/',
    headers: multipart,
    body: `${form('project_file')}${'a'.repeat(100_000)}`,
  },
  {
    what: 'half of an annotation file',
    operation: 'importTaskAnnotations',
    line: () => `POST /api/tasks/${task.id}/annotations/?format=COCO%201.0`,
    headers: multipart,
    body: `${form('annotation_file')}${'a'.repeat(100_000)}`,
  },
]

test.each(inBodies)(
  'a call that its client aborts after $what writes a log line',
  async (abort) => {
    const { operation, line, headers, body } = abort
    for (const end of ['destroy', 'resetAndDestroy'] as const) {
      const call = callOf(line(), headers)
      const socket = await begunWith(call.text)
      await write(socket, body)
      socket[end]()
      await expectRow(call, operation)
    }
  },
)

test('a chunk of a resumable upload that its client aborts writes a log line', async () => {
  const { id } = await reticle.admin.done('POST', '/tasks', { json: { name: 't', labels: [] } })
  const started = { headers: { ...tus, 'upload-start': '1' } }
  await reticle.admin.call('POST', `/tasks/${id}/data/`, started)
  const begun = await begin(reticle.admin, `/tasks/${id}/data/`, { name: 'a.png', length: 9000 })
  const { pathname } = new URL(begun.headers.get('location') ?? '')
  const call = callOf(`PATCH ${pathname}`, {
    ...tus,
    ...continued,
    'upload-offset': 0,
    'content-type': 'application/offset+octet-stream',
    'content-length': 9000,
  })
  const socket = await begunWith(call.text)
  await write(socket, 'a'.repeat(1000))
  socket.resetAndDestroy()
  await expectRow(call, 'sendTaskDataFile')
})

test('a call that its client aborts after its whole body writes a log line', async () => {
  const shape = { type: 'rectangle', frame: 0, label_id: label.id, points: [1, 2, 3, 4] }
  const body = JSON.stringify({ shapes: Array.from({ length: 40_000 }, () => shape) })
  const headers = { ...json, 'content-length': body.length }
  const call = callOf(`PUT /api/tasks/${task.id}/annotations`, headers)
  const socket = await begunWith(call.text)
  await write(socket, body)
  socket.resetAndDestroy()
  await expectRow(call, 'replaceTaskAnnotations')
})

test('an event stream that its client closes is logged with the status of the started answer', async () => {
  const call = callOf('GET /api/requests/stream')
  const socket = await begunWith(call.text)
  socket.resetAndDestroy()
  await expectRow(call, 'streamRequests', { answer_status: 200 })
})

test('each of three pipelined calls writes a log line', async () => {
  const lines = [1, 2, 3].map(() => callOf(`GET /api/tasks/${task.id}/annotations`))
  const stream = callOf('GET /api/requests/stream') // its answer does not end, so the calls after it wait
  const socket = await begunWith([stream, ...lines].map(({ text }) => text).join(''))
  socket.resetAndDestroy()
  await expectRow(stream, 'streamRequests', { answer_status: 200 })
  for (const call of lines) await expectRow(call, 'getTaskAnnotations')
})

test('a call whose client resets the connection at once is not logged as a failure of the server', async () => {
  const sent = Array.from({ length: 60 }, () =>
    callOf('PUT /api/tasks/1/annotations', { ...json, 'content-length': 500 }),
  )
  for (const call of sent) {
    const socket = dial()
    await once(socket, 'connect')
    await write(socket, `${call.text}{`)
    socket.resetAndDestroy()
  }
  const complete = callOf('GET /api/projects', { connection: 'close' })
  await once((await begunWith(complete.text)).resume(), 'close')
  await expect.poll(() => rowsOf(complete.id)).toHaveLength(1)
  // The kernel drops data that arrived before a reset, so the server may never see some of these calls.
  const rows = sent.flatMap(({ id }) => rowsOf(id))
  expect(new Set(rows.map(({ status, cause }) => `${status} ${cause}`))).toEqual(
    new Set(['499 client_closed']),
  )
  expect(reticle.output()).not.toContain('request failed')
})
