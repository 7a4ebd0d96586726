import { buffer } from 'node:stream/consumers'
import { writeZip } from '@reticle/formats/archive/zip-writer'
import { z } from 'zod'
import type { LoadCall } from './load.ts'
import { startEmbedded } from './server.ts'
import { addMeasuredUser, besideLoad } from './small-calls.ts'
import type { BenchFigure } from './table.ts'
import { callerOf, makeTask, waitForEnd } from './task.ts'
import { registerUser } from './users.ts'

const connections = 2
const kib = 1024

interface Attack {
  id: string
  what: string
  scripts: LoadCall[][]
  connections?: number
}

/**
 * Measures attacks of one or two users on one process: values of maximum length (A1), wrong passwords (A2), followers
 * of requests (A3). Limits have their defaults, except in the last one, which measures the queue of password hashes.
 */
export async function* attackFigures(): AsyncGenerator<BenchFigure> {
  yield* figuresOf({}, 3, preparedAttacks)
  const guesses = async () => [guessing('A2-hash', 'wrong passwords, no limit of an address')]
  yield* figuresOf({ RETICLE_GATEWAY_RATE_ANONYMOUS: '0' }, 2, guesses)
}

async function* figuresOf(
  env: Record<string, string>,
  most: number,
  prepare: (api: string) => Promise<Attack[]>,
): AsyncGenerator<BenchFigure> {
  const server = await startEmbedded(env)
  const { api } = server
  try {
    const attacks = await prepare(api)
    const measured = await addMeasuredUser(api)
    for (const { id, what, scripts, connections: own = connections } of attacks) {
      const load = { api, connections: own, scripts }
      yield await besideLoad(measured, { id, what, load, most })
    }
  } finally {
    await server.stop()
  }
}

const guessing = (id: string, what: string): Attack => ({
  id,
  what,
  scripts: [[{ path: '/projects', guesses: true }]],
})

async function preparedAttacks(api: string): Promise<Attack[]> {
  const users = [await registerUser(api, 'first'), await registerUser(api, 'second')]
  const [bodies, files, lines, follows] = [
    await Promise.all(users.map((user) => numbersOf(api, user))),
    await Promise.all(users.map(filesOf)),
    await Promise.all(users.map((user) => importsOf(api, user))),
    await Promise.all(users.map((user) => followsOf(api, user))),
  ]
  return [
    {
      id: 'A1',
      what: 'anonymous calls with long headers',
      scripts: [longHeaders({}, '/projects')],
    },
    {
      id: 'A1',
      what: 'calls of two users with long headers',
      scripts: users.map((authorization) => longHeaders({ authorization }, '/projects')),
    },
    { id: 'A1', what: 'numbers of 80,000 digits', scripts: bodies },
    { id: 'A1', what: 'pictures that are comments', scripts: files },
    { id: 'A1', what: 'imports with lines of 1 MiB', scripts: lines },
    guessing('A2', 'wrong passwords'),
    {
      id: 'A3',
      what: 'event streams of two users, at the limit of each, and their new requests',
      scripts: [...follows.flatMap(({ streams }) => streams), ...follows.map(({ ask }) => ask)],
      connections: 2 * (streamsOfUser + 1),
    },
    {
      id: 'A3',
      what: 'calls of two users that wait for requests, at the limit of each',
      scripts: follows.map(({ waits }) => waits),
      connections: 2 * waitsOfUser,
    },
  ]
}

/** Header values, each nearly as long as all headers of a call may be together. */
function longHeaders(headers: Record<string, string>, path: string): LoadCall[] {
  const long = (piece: string) => piece.repeat(Math.floor((14 * kib) / piece.length))
  const values: [name: string, value: string][] = [
    ['accept', `application/vnd.cvat+json${long(',application/vnd.a+json')}`],
    ['accept', `application/vnd.cvat+json,a/b${long(' ')};q`],
    ['accept-language', long('de;q=0.1,')],
    ['accept-encoding', long('gzip;q=0.0, ')],
    ['range', `bytes=1${long(' ')}-2x`],
    ['range', `bytes=${long('1-1,')}`],
    ['if-none-match', `${long('W/"a", ')}x`],
    ['cookie', long('sessionid=a; ')],
    ['x-forwarded-for', long('10.0.0.1, ')],
    ['x-organization', long('-')],
    ['x-request-id', long('a')],
    ['tracestate', long('a=b,')],
  ]
  return values.map(([name, value]) => ({ path, headers: { ...headers, [name]: value } }))
}

const labelled = z.object({
  id: z.int(),
  labels: z.tuple([
    z.object({ id: z.int(), attributes: z.array(z.object({ id: z.int() })).min(1) }),
  ]),
})

/** Annotations with an attribute value of many digits. */
async function numbersOf(api: string, authorization: string): Promise<LoadCall[]> {
  const call = callerOf({ api, authorization })
  const attribute = { name: 'n', input_type: 'number', mutable: true, values: ['0', '9', '1'] }
  const labels = [{ name: 'car', attributes: [attribute] }]
  const body = JSON.stringify({ name: 'numbers', labels })
  const made = labelled.parse(await call('POST', '/tasks', body))
  const [{ id: label_id, attributes }] = made.labels
  const shapes = ['1'.repeat(80_000), `${'1'.repeat(80_000)}x`, `0.${'0'.repeat(80_000)}`].map(
    (value) => ({
      type: 'rectangle',
      frame: 0,
      label_id,
      points: [1, 2, 3, 4],
      attributes: attributes.map(({ id }) => ({ spec_id: id, value })),
    }),
  )
  const json = { authorization, 'content-type': 'application/json' }
  return shapes.map((shape) => ({
    method: 'PUT',
    path: `/tasks/${made.id}/annotations`,
    headers: json,
    body: Buffer.from(JSON.stringify({ shapes: [shape] })).toString('base64'),
  }))
}

const boundary = 'a-boundary-of-the-bench'
/** Builds a form with one file. */
function formCall(path: string, authorization: string, file: FormFile): LoadCall {
  const { field, name, content } = file
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const type = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const headers = { authorization, ...type }
  return { method: 'POST', path, headers, body: body.toString('base64') }
}
interface FormFile {
  field: string
  name: string
  content: Buffer
}

/** Tasks of files whose type is detected by their contents. */
function filesOf(authorization: string): LoadCall[] {
  const comments = ['<!---->'.repeat(70), '<!--'.repeat(200_000), `<?xml ${' '.repeat(500_000)}`]
  return comments.flatMap((text) => [
    {
      method: 'POST',
      path: '/tasks',
      headers: { authorization, 'content-type': 'application/json' },
      body: Buffer.from('{"name":"files","labels":[]}').toString('base64'),
    },
    formCall('/tasks/{id}/data', authorization, {
      ...{ field: 'client_files[0]', name: 'a.jpg', content: Buffer.from(`${text}x`) },
    }),
  ])
}

/** Imports into one task, whose lines are long runs of digits or spaces. */
async function importsOf(api: string, authorization: string): Promise<LoadCall[]> {
  const { id } = await makeTask({ api, authorization }, 1)
  const [digits, spaces] = ['1'.repeat(kib * kib), ' '.repeat(kib * kib)]
  const archives: [format: string, members: Record<string, string>][] = [
    ['MOT 1.1', { 'gt/gt.txt': `1,1,${digits}x,2,3,4,1,1,1\n`, 'gt/labels.txt': 'car\n' }],
    [
      'YOLO 1.1',
      {
        'obj.data': `classes = 1\nnames = data/obj.names\ntrain = data/train.txt\nx${spaces}y\n`,
        'data/obj.names': 'car\n',
        'data/train.txt': 'data/obj_train_data/000000.png\n',
        'data/obj_train_data/000000.txt': `0 0.${digits} 0.1${spaces}0.1 0.1\n`,
      },
    ],
    ['Pascal VOC 1.1', { 'ImageSets/Main/car_train.txt': `a${spaces}b\n` }],
  ]
  return Promise.all(
    archives.map(async ([format, members]) => {
      const files = Object.entries(members)
      const given = files.map(([path, text]) => ({ path, content: Buffer.from(text) }))
      const content = await buffer(writeZip(given, new Date(0)))
      const path = `/tasks/${id}/annotations?format=${encodeURIComponent(format)}`
      return formCall(path, authorization, { field: 'annotation_file', name: 'a.zip', content })
    }),
  )
}

const streamsOfUser = 20
const waitsOfUser = 50

/** Streams of a user with 300 requests, and calls that start new ones. */
async function followsOf(api: string, authorization: string) {
  const call = callerOf({ api, authorization })
  for (let count = 1; count < 300; count++) await call('POST', '/events/export')
  await waitForEnd(call, await call('POST', '/events/export'))
  const headers = { authorization }
  const stream = { path: '/requests/stream', headers }
  const ask = { method: 'POST', path: '/events/export', headers }
  return {
    streams: Array.from({ length: streamsOfUser }, () => [stream]),
    ask: [ask],
    waits: [ask, { path: '/requests/{rq_id}?wait=30', headers }],
  }
}
