import { bytesOf } from '@reticle/kit/testing/bytes'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'

/** Annotation sets below the mount, compared with the bodies that the service receives and returns. */

let told: { action?: string; is_whole?: boolean; text: string }[] = []
let stored = '{}'
beforeEach(() => {
  told = []
})

let ended = 0
function pieces() {
  const all = bytesOf(stored)
  const end = () => {
    ended++
    return all.return(undefined)
  }
  return { [Symbol.asyncIterator]: () => ({ next: () => all.next(), return: end }) }
}

const answered = () => ({
  head: { etag: '"a31-1"', length: Buffer.byteLength(stored) },
  chunks: pieces(),
})

async function write({ body, ...given }: { body: AsyncIterable<Uint8Array> }) {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  told.push({ ...given, text: Buffer.concat(pieces).toString() })
  return answered()
}

const { send } = await startTestGateway({
  services: {
    annotations: {
      getJobAnnotations: async () => answered(),
      getTaskAnnotations: async () => answered(),
      getJobRevision: async () => answered(),
      getJobAnnotationsDiff: async () => answered(),
      restoreJobRevision: async () => answered(),
      replaceJobAnnotations: write,
      replaceTaskAnnotations: write,
      updateJobAnnotations: write,
      updateTaskAnnotations: write,
    },
  },
})

const here = [32, 24, 10.5, 3.75]
const there = [32, 24, 42.5, 20.25]
const ellipse = (points: number[]) => ({ type: 'ellipse', points })
const box = { type: 'rectangle', points: [1, 2, 3, 4] }
const setOf = (points: number[]) => ({
  tags: [{ frame: 0 }],
  shapes: [ellipse(points), box, { type: 'skeleton', elements: [ellipse(points), box] }],
  tracks: [{ shapes: [ellipse(points)], elements: [{ shapes: [ellipse(points)] }] }],
})

const writes = [
  ['PUT', '/jobs/31/annotations/'],
  ['PUT', '/tasks/12/annotations'],
  ['PATCH', '/jobs/31/annotations/?action=create'],
  ['PATCH', '/tasks/12/annotations/?action=update'],
] as const

describe.each(writes)('%s %s', (method, path) => {
  test('converts ellipses in both directions', async () => {
    stored = JSON.stringify(setOf(here))
    const answer = await send(`/as/cvat/api${path}`, { method, body: setOf(there) })
    expect(JSON.parse(told[0]?.text ?? '')).toEqual(setOf(here))
    expect(answer.json()).toEqual(setOf(there))
    expect(answer.headers).toMatchObject({
      etag: '"a31-1"',
      'content-type': 'application/vnd.cvat+json',
    })
  })

  test('passes bytes unchanged without the dialect', async () => {
    stored = JSON.stringify(setOf(here), null, 1)
    const body = JSON.stringify(setOf(there), null, 2)
    const headers = { 'content-type': 'application/json' }
    const answer = await send(`/api${path}`, { method, body, headers })
    expect(told).toMatchObject([{ text: body }])
    expect(told[0]).not.toHaveProperty('is_whole')
    expect([answer.text, answer.headers['content-length']]).toEqual([stored, `${stored.length}`])
  })

  test.each([
    '{"shapes":[{"type":"ellipse","points":[1,2,3]}]}',
    '{"shapes":[{"type":"ellipse","points":["1",2,3,4]}]}',
    '{"shapes":[{"type":"ellipse"},{"type":"ellipse","points":null}]}',
    '{"shapes":[{"type":"ellipse","points":[1,2,3,NaN]}]}',
    '{"shapes":[{"type":"ellipse","points":[1,2,3,4]',
    '{"shapes":["ellipse",7],"tags":"ellipse"}',
    'no JSON: ellipse',
    '',
  ])('passes invalid input %j unchanged to the service', async (body) => {
    const headers = { 'content-type': 'application/json' }
    await send(`/as/cvat/api${path}`, { method, body, headers })
    expect(told).toMatchObject([{ text: body }])
  })
})

test('an update replaces whole objects, other writes are unchanged', async () => {
  const ask = (method: 'PUT' | 'PATCH', path: string) =>
    send(`/as/cvat/api${path}`, { method, body: {} })
  await ask('PATCH', '/jobs/31/annotations?action=update&is_whole=false')
  await ask('PATCH', '/tasks/12/annotations?action=update')
  await ask('PUT', '/tasks/12/annotations')
  expect(told.map((one) => one.is_whole)).toEqual([true, true, undefined])
})

test('is_whole is not accepted from clients of the native API', async () => {
  const path = '/api/jobs/31/annotations?action=update&is_whole=true'
  await send(path, { method: 'PATCH', body: { is_whole: true } })
  expect(told[0]).not.toHaveProperty('is_whole')
})

test('names with escaped characters are recognized', async () => {
  const body = '{"sh\\u0061pes":[{"type":"\\u0065llipse","points":[32,24,42.5,20.25]}]}'
  const headers = { 'content-type': 'application/json' }
  await send('/as/cvat/api/jobs/31/annotations', { method: 'PUT', body, headers })
  expect(JSON.parse(told[0]?.text ?? '')).toEqual({ shapes: [ellipse(here)] })
})

test('an ellipse does not depend on the corner from which it was drawn', async () => {
  const body = { shapes: [ellipse([32, 24, 21.5, 27.75])] }
  await send('/as/cvat/api/jobs/31/annotations', { method: 'PUT', body })
  expect(JSON.parse(told[0]?.text ?? '')).toEqual({ shapes: [ellipse(here)] })
})

test('radii survive a conversion to corners and back', async () => {
  for (const points of [
    [10.1, 5.3, 5.2, 3.4],
    [1234.567, 0.1, 0.2, 1e-3],
  ]) {
    stored = JSON.stringify({ shapes: [ellipse(points)] })
    const read = await send('/as/cvat/api/jobs/31/annotations')
    await send('/as/cvat/api/jobs/31/annotations', { method: 'PUT', body: Object(read.json()) })
    expect(JSON.parse(told.at(-1)?.text ?? '')).toEqual({ shapes: [ellipse(points)] })
  }
})

const position = (frame: number, keyframe: boolean) => ({ ...box, frame, keyframe })

test('only keyframes are returned, without the field keyframe', async () => {
  stored = JSON.stringify({
    shapes: [{ ...box, attributes: [{ spec_id: 1, value: '"keyframe":false' }] }],
    tracks: [
      { shapes: [position(0, false), position(1, true), position(2, false), position(3, true)] },
      { shapes: [], elements: [{ shapes: [position(0, true)] }] },
    ],
  })
  const answer = await send('/as/cvat/api/tasks/12/annotations/')
  expect(answer.json()).toEqual({
    shapes: [{ ...box, attributes: [{ spec_id: 1, value: '"keyframe":false' }] }],
    tracks: [
      {
        shapes: [
          { ...box, frame: 1 },
          { ...box, frame: 3 },
        ],
      },
      { shapes: [], elements: [{ shapes: [{ ...box, frame: 0 }] }] },
    ],
  })
})

test.each([
  ['GET', '/jobs/31/annotations/revisions/4'],
  ['GET', '/jobs/31/annotations/diff?from=1'],
  ['POST', '/jobs/31/annotations/revisions/4/restore'],
] as const)('%s %s shows sets that way, too', async (method, path) => {
  const changed = (points: number[]) => ({
    updated: { shapes: [{ before: ellipse(points), after: box }], tracks: [] },
  })
  stored = JSON.stringify(changed(here))
  expect((await send(`/as/cvat/api${path}`, { method })).json()).toEqual(changed(there))
})

test.each([{ method: 'HEAD' as const }, { headers: { 'if-none-match': '"a31-1"' } }])(
  'the stream of the service is closed when the response has no body: %j',
  async (asked) => {
    stored = 'x'.repeat(100_000)
    ended = 0
    await send('/as/cvat/api/jobs/31/annotations', asked)
    expect(ended).toBe(1)
  },
)

test('HEAD and 304 responses have no body, and a compressed response is complete', async () => {
  stored = JSON.stringify({ shapes: Array.from({ length: 500 }, () => ellipse(here)) })
  const path = '/as/cvat/api/jobs/31/annotations'
  const head = await send(path, { method: 'HEAD' })
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', '"a31-1"'])
  const known = await send(path, { headers: { 'if-none-match': '"a31-1"' } })
  expect([known.status, known.text]).toEqual([304, ''])
  const packed = await send(path, { headers: { 'accept-encoding': 'gzip' } })
  expect(packed.headers['content-encoding']).toBe('gzip')
})
