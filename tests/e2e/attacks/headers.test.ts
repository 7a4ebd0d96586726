import { request } from 'node:http'
import { expect, test } from 'vitest'
import { basic } from '../../support/reticle.ts'
import { slowdownOf } from '../../support/slowdown.ts'
import { useTestServer } from '../../support/test-server.ts'

/**
 * Reading a header takes time in proportion to its length, over HTTP too: each hostile value is compared with a
 * harmless value of the same length on the same server. A pattern that is quadratic at this size is a hundred times
 * slower.
 */

const reticle = useTestServer()

const size = 14_000
const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
const around = (first: string, piece: string, last = '') =>
  first + fill(piece).slice(first.length + last.length) + last

const hostile: [header: string, value: string][] = [
  ['accept', around('application/vnd.cvat+json;q=0.', '0', 'x')],
  ['accept', around('application/vnd.cvat+json,a/b', ' ;', 'q')],
  ['accept', around('application/vnd.cvat+json,', ',')],
  ['accept', around('application/vnd.cvat+json,text/html;level="', '\\"')],
  ['accept', around('application/vnd.cvat+json,', 'application/problem+json;q=0;,')],
  ['accept', around('application/vnd.cvat+json,', 'application/vnd.a+json;version=2 ,')],
  ['accept', around('application/vnd.cvat+json,application/vnd.', 'a.', '+jso')],
  ['accept', around('*/*,', '\t')],
  ['range', around('bytes=', '1', '-x')],
  ['range', around('bytes', ' ', '=0-')],
  ['range', around('bytes=', '0-0, ')],
  ['range', around('bytes=', '-')],
  ['if-range', around('"', ' ')],
  ['content-type', around('application/json', ';')],
  ['content-type', around('multipart/form-data; boundary=', ' ', 'x')],
  ['content-type', around('application/json; charset="', '\\"')],
  ['content-type', around('application/', '+json')],
  ['authorization', around('Token', ' ', 'x')],
  ['authorization', around('Basic ', 'A')],
  ['authorization', around('Bearer ', '\t', 'a b')],
  ['cookie', fill(';')],
  ['cookie', fill('sessionid=; ')],
  ['cookie', around('sessionid="', '\\')],
  ['if-none-match', fill('"a",')],
  ['if-none-match', fill('W/')],
  ['if-none-match', around('"', ' ', ',')],
  ['if-match', around('W/"', '" ,')],
  ['x-forwarded-for', fill('1,')],
  ['x-forwarded-host', fill('a.')],
  ['x-forwarded-proto', around('https', ' ', ',')],
  ['accept-encoding', fill('gzip;q=0.1,')],
  ['accept-encoding', around('gzip;q=0.', '0')],
  ['accept-language', fill('de;q=0.1,')],
  ['upload-metadata', around('filename', ' ', ',')],
  ['upload-metadata', fill('a b,')],
  ['upload-checksum', around('sha256', ' ', '=')],
  ['idempotency-key', fill('" ')],
  ['x-organization', fill('a-')],
  ['origin', around('http://', 'a.')],
  ['referer', around('http://', '/..')],
  ['traceparent', fill('00-')],
  ['tracestate', fill('a=b,')],
  ['user-agent', fill('(;')],
  ['host', fill('a.')],
  ['host', around('a', ':1')],
  ['x-request-id', fill('a-')],
  ['forwarded', fill('for="[::1]";')],
  ['connection', fill('close, ')],
]

const paths = ['/api/projects', '/as/cvat/api/projects', '/api/assets/nothing', '/nothing']

const most = 12

/** Returns the status of one answer, over a new connection. */
function statusOf(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, reticle.url), { agent: false, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', reject).end()
  })
}

test.each(paths)(
  'no hostile header of 14 KB makes %s slower than a harmless one',
  async (path) => {
    const plain = () => statusOf(path, { authorization: basic, 'x-nothing': fill('a') })
    for (let count = 0; count < 20; count += 1) await plain() // warms up the JIT compiler
    for (const [header, value] of hostile) {
      const call = () => statusOf(path, { authorization: basic, [header]: value })
      const shown = `${header}: ${value.slice(0, 40)}`
      expect(await call(), shown).toBeLessThan(500)
      expect(await slowdownOf(call, plain, most), shown).toBeLessThan(most)
    }
  },
  120_000,
)

/** Builds a form with one part whose headers are `head`. */
const formWith = (head: string) => ({
  method: 'POST',
  headers: { authorization: basic, 'content-type': 'multipart/form-data; boundary=b' },
  body: `--b\r\n${head}\r\n\r\na\r\n--b--\r\n`,
})
const disposition = 'Content-Disposition: form-data; name="backup_file"; filename="a.zip"'
const sendForm = async (head: string) => {
  const answer = await fetch(`${reticle.url}/api/projects/backup`, formWith(head))
  return { status: answer.status, text: await answer.text() }
}

test('headers of a part of 1 MiB are read in time linear in their length', async () => {
  const length = 1024 * 1024
  const run = (piece: string) => piece.repeat(length / piece.length)
  const plain = () => sendForm(`X-Other: ${run('a')}`)
  const pieces = [
    ' ',
    '\t',
    ';',
    '"',
    '\\"',
    '; filename="',
    "; filename*=UTF-8''",
    '%41',
    ':',
    '=',
  ]
  for (const piece of [...pieces, '\r\n ', '\r\nX-Other: ', '\r\n:', '\r', '\n'])
    for (const head of [`Content-Disposition: form-data${run(piece)}`, `${run(piece)}`]) {
      expect((await sendForm(head)).status, piece).toBe(400)
      expect(await slowdownOf(() => sendForm(head), plain, most), piece).toBeLessThan(most)
    }
})

test.each([
  'Content-Disposition: form-data',
  'Content-Disposition: form-data;',
  'Content-Disposition: form-data; filename="a.zip"',
  'Content-Disposition: form-data; name',
])('a part with the headers %j has no name and is refused', async (head) => {
  expect(await sendForm(head)).toMatchObject({ status: 400, text: expect.stringContaining('name') })
})

test('headers of a part beyond 16 KiB are not read', async () => {
  const other = (length: number) => `X-Other: ${'a'.repeat(length)}\r\n${disposition}`
  expect((await sendForm(other(15 * 1024))).status).toBe(202)
  expect(await sendForm(other(17 * 1024))).toMatchObject({
    status: 400,
    text: expect.stringContaining('No file was submitted'),
  })
  const longName = disposition.replace('a.zip', 'a'.repeat(20 * 1024))
  expect(await sendForm(longName)).toMatchObject({
    status: 400,
    text: expect.stringContaining('longer than 1024 characters'),
  })
})
