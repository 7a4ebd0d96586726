import { projectRecord } from '@reticle/contracts/testing/records'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { describe, expect, test } from 'vitest'
import { startTestGateway, type TestRequest } from './testing/gateway.ts'

/** Processing time grows linearly with the length of a header, for any content up to the 16 KiB of a request. */

const key = 'requests/user/3/1/0'
const { send, blobs } = await startTestGateway({
  settings: { rateUser: 0, maxUploadBytes: 1024, trustedHops: 1 },
  services: {
    projects: {
      async getProject() {
        return projectRecord()
      },
      async updateProject() {
        return projectRecord()
      },
    },
    requests: {
      async createFile() {
        return { file_id: '3_f', expires_date: '2026-03-01T22:00:00.000Z' }
      },
      async getResultFile() {
        const [filename, etag] = ['a.zip', '"abc"']
        const media_type = 'application/zip'
        const finished_date = '2026-03-01T10:00:07.900Z'
        return { key, size: 10, filename, etag, media_type, finished_date }
      },
    },
  },
})

await blobs.put(key, bytesOf('0123456789'))

interface HeaderTarget {
  path: string
  sent?: TestRequest
}

const project: HeaderTarget = { path: '/api/projects/7' }
const result: HeaderTarget = {
  path: '/api/tasks/12/dataset/download?rq_id=a',
  sent: { method: 'HEAD' },
}
const change: HeaderTarget = {
  path: '/api/projects/7',
  sent: { method: 'PATCH', body: { name: 'a' } },
}
const form: HeaderTarget = { path: '/api/tasks/12/data', sent: { method: 'POST', body: 'a' } }
const tus: HeaderTarget = {
  path: '/api/tasks/12/data/',
  sent: { method: 'POST', headers: { 'tus-resumable': '1.0.0', 'upload-length': '5' } },
}

/** Every header that the gateway or one of its libraries reads, with a request that uses it. */
const headers: readonly (readonly [name: string, target: HeaderTarget])[] = [
  ['accept', project],
  ['accept', { path: '/api/docs' }],
  ['accept', { path: '/nothing' }],
  ['accept-encoding', project],
  ['accept-language', project],
  ['access-control-request-headers', { path: project.path, sent: { method: 'OPTIONS' } }],
  ['access-control-request-method', { path: project.path, sent: { method: 'OPTIONS' } }],
  ['authorization', project],
  ['cache-control', project],
  ['content-encoding', change],
  ['content-type', change],
  ['content-type', form],
  ['cookie', project],
  ['cookie', change],
  ['idempotency-key', change],
  ['if-match', change],
  ['if-modified-since', result],
  ['if-none-match', project],
  ['if-none-match', result],
  ['if-range', result],
  ['origin', project],
  ['origin', change],
  ['prefer', { path: '/api/tasks/12/preview' }],
  ['range', result],
  ['referer', project],
  ['traceparent', project],
  ['tracestate', project],
  ['tus-resumable', tus],
  ['upload-checksum', tus],
  ['upload-length', tus],
  ['upload-metadata', tus],
  ['upload-offset', { path: '/api/tasks/12/data/3_f', sent: { method: 'PATCH', body: 'a' } }],
  ['user-agent', project],
  ['x-csrftoken', change],
  ['x-forwarded-for', project],
  ['x-forwarded-host', tus],
  ['x-forwarded-proto', tus],
  ['x-http-method-override', tus],
  ['x-organization', project],
  ['x-request-id', project],
]

/** Content of a value: `before`, then `piece` repeated to the length, then `after`. */
const shapes: readonly { before?: string; piece: string; after?: string }[] = [
  ...[' ', '\t', ',', ';', '=', '"', '-', '/', '1', 'a', '%', '.', '\\', '(', ':', ', ', '; '].map(
    (piece) => ({ before: 'a', piece, after: 'b' }),
  ),
  { before: 'application/vnd.cvat+json,a/b', piece: ' ', after: ';q' },
  { before: 'application/vnd.cvat+json', piece: ',application/vnd.a+json' },
  { before: 'application/vnd.cvat+json', piece: ';q=0' },
  { before: 'application/problem+json;q=0.', piece: '0', after: 'x' },
  { before: 'bytes=', piece: '1-1,' },
  { before: 'bytes=', piece: ' ', after: '-x' },
  { before: 'bytes=1', piece: ' ', after: '-2x' },
  { before: 'bytes=', piece: ' - ', after: 'x' },
  { piece: 'W/"a", ', after: 'x' },
  { before: '"a"', piece: ' ', after: ',x' },
  { before: 'multipart/form-data', piece: ';boundary="' },
  { before: 'multipart/form-data; boundary=', piece: 'b' },
  { before: 'application/json', piece: ';\t', after: '"' },
  { before: 'application/json; charset="', piece: '\\"' },
  { before: 'Token', piece: ' ', after: 'x' },
  { before: 'Basic ', piece: 'YTph' },
  { before: 'filename ', piece: 'YWJj', after: ' x' },
  { piece: 'filename YQ==,' },
  { piece: 'sessionid=a; ' },
  { piece: 'gzip;q=0.0, ' },
  { before: 'http://', piece: 'a.' },
  { piece: '10.0.0.1, ' },
  { before: '00-', piece: 'f' },
  { before: 'handling', piece: ' ', after: '=x' },
]

type Shape = (typeof shapes)[number]
const textOf = ({ before = '', piece, after = '' }: Shape, length: number): string =>
  (before + piece.repeat(Math.max(0, Math.floor((length - before.length) / piece.length))) + after)
    .slice(0, length)
    .trim()

const call = ({ path, sent }: HeaderTarget, given: Record<string, string>) =>
  send(path, { ...sent, headers: { ...sent?.headers, ...given } })

/** CPU time in microseconds of this process, which is both server and client. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * With quadratic time a value that is 8 times as long would take 64 times as long, with linear time at most 8 times.
 */
const mostGrowth = 16
const [short, long] = [1850, 14_800]

/** Repeats a measurement that exceeds the limit, because another process may have interfered. */
async function growth(cost: (length: number) => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5 && least > mostGrowth; attempt += 1)
    least = Math.min(least, (await cost(long)) / (await cost(short)))
  return least
}

describe.each(headers)('%s of %j', (name, target) => {
  test('is processed in linear time without a server error', async () => {
    for (const shape of shapes) {
      const given = (length: number) => ({ [name]: textOf(shape, length) })
      const { status } = await call(target, given(long))
      expect(status).toBeLessThan(500)
      const cost = (length: number) => cpuOf(() => call(target, given(length)))
      expect(await growth(cost), JSON.stringify(shape)).toBeLessThan(mostGrowth)
    }
  })
})

const paths: readonly [string, (text: string) => string][] = [
  ['a path', (text) => `/${text}`],
  ['a path below a mount', (text) => `/as/cvat/api/${text}`],
  ['the name of a mount', (text) => `/as/${text}`],
  ['an id', (text) => `/api/projects/${text}`],
  ...['filter', 'sort', 'search', 'page', 'page_size', 'org', 'scheme', 'name'].map(
    (name): [string, (text: string) => string] => [
      `the query ${name}`,
      (text) => `/api/projects?${name}=${text}`,
    ],
  ),
  ['names of a query', (text) => `/api/projects?${text}`],
]
const inPaths = [
  '/',
  '//',
  '%2f',
  '%20',
  '.',
  '../',
  '-',
  ',',
  '1',
  'a',
  '&',
  '=',
  '[',
  '{"a":',
  '+',
]

describe.each(paths)('%s', (_, pathOf) => {
  test('is processed in linear time without a server error', async () => {
    for (const piece of inPaths) {
      const path = (length: number) => pathOf(textOf({ piece: encodeURI(piece) }, length - 200))
      expect((await send(path(long))).status).toBeLessThan(500)
      expect(await growth((length) => cpuOf(() => send(path(length)))), piece).toBeLessThan(
        mostGrowth,
      )
    }
  })
})

/** Deterministic random numbers: mulberry32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Builds a value from the pieces of all shapes and single characters. */
function randomValue(random: (below: number) => number, length: number): string {
  const texts: string[] = []
  for (let size = 0; size < length; ) {
    const { before = '', piece = ' ', after = '' } = shapes[random(shapes.length)] ?? { piece: ' ' }
    const character = String.fromCharCode(0x20 + random(0x5f))
    const text = [before, piece, after, character, piece.repeat(random(40))][random(5)] ?? ''
    texts.push(text)
    size += text.length
  }
  return texts.join('').slice(0, length).trim()
}

test('10,000 random values take linear time', { timeout: 600_000 }, async () => {
  const random = randomOf(32)
  const [values, together] = [10_000, 8]
  const spent = { short: 0, long: 0 }
  for (let done = 0; done < values; done += 2 * together) {
    for (const [kind, length] of [
      ['short', short],
      ['long', long],
    ] as const) {
      const [, target = project] = headers[random(headers.length)] ?? []
      const given: Record<string, string> = {}
      for (let count = 0; count < together; count += 1) {
        const [name = ''] = headers[random(headers.length)] ?? []
        given[name] = randomValue(random, Math.floor(length / together))
      }
      spent[kind] += await cpuOf(async () => {
        expect((await call(target, given)).status).toBeLessThan(500)
      })
    }
  }
  expect(spent.long / spent.short).toBeLessThan(mostGrowth)
})
