import { projectRecord } from '@reticle/contracts/testing/records'
import { notFound } from '@reticle/kit'
import { describe, expect, test } from 'vitest'
import { startTestGateway, type TestRequest } from './testing/gateway.ts'

/** Invalid input that the gateway refuses by itself. Row numbers refer to docs/spec/reliability.md#bad-input. */

const bugs: unknown[] = []
const { send } = await startTestGateway({
  bugs,
  services: {
    projects: {
      async createProject({ body }) {
        return projectRecord({ name: body.name })
      },
      async updateProject() {
        return projectRecord()
      },
      async listProjects() {
        return { count: 0, results: [] }
      },
      async deleteProject() {
        return undefined
      },
    },
  },
})

const post = (body: TestRequest['body'], headers: Record<string, string> = {}): TestRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body,
})
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const create = (fields: string) => post(`{"name":"a",${fields}}`)

describe.each<[string, string, number]>([
  ['4', '/api/projects/%zz', 400],
  ['5', '/api/projects/%00', 404],
  ['5', '/api/requests/%00', 404],
  ['5', '/api/projects/1%2F..%2F2', 404],
  ['5', '/api/projects/%EF%BC%91', 404],
  ['6', '/api/projects/abc', 404],
  ['6', '/api/projects/-1', 404],
  ['6', '/api/projects/0', 404],
  ['6', '/api/projects/1.0', 404],
  ['6', '/api/projects/1e3', 404],
  ['7', '/api/projects/2147483648', 404],
  ['7', `/api/projects/${'9'.repeat(30)}`, 404],
  ['8', '/api/nothing', 404],
  ['8', '/nothing', 404],
  ['8', '/api//projects', 404],
  ['54', '/api/projects?status=foo', 400],
  ['54', '/api/projects?owner=', 200],
  ['54', '/api/projects?name=a&name=b', 400],
  ['54', '/api/projects?name=%00', 400],
  ['76', `/api/requests/${'x'.repeat(256)}`, 404],
  ['76', `/api/requests/${'x'.repeat(5000)}`, 404],
  ['97', '/api/projects?unknown=1', 200],
])('row %s: GET %s', (_row, path, status) => {
  test(`is ${status}`, async () => {
    const answer = await send(path)
    expect(answer.status).toBe(status)
    if (status >= 400) expect(answer.headers['x-error-code']).toBeDefined()
    expect(answer.json()).toBeTypeOf('object')
  })
})

describe.each<[string, string, TestRequest, number, unknown]>([
  ['25', 'JSON without a content type', { method: 'POST', body: '{}' }, 415, undefined],
  ['25', 'text', post('{}', { 'content-type': 'text/plain' }), 415, undefined],
  ['25', 'XML', post('{}', { 'content-type': 'application/xml' }), 415, undefined],
  [
    '25',
    'a form',
    post('{}', { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
    undefined,
  ],
  ['25', 'a type that is none', post('{}', { 'content-type': 'json' }), 415, undefined],
  [
    '26',
    'UTF-16',
    post('{}', { 'content-type': 'application/json; charset=utf-16' }),
    415,
    undefined,
  ],
  [
    '26',
    'UTF-8 by name',
    post('{"name":"a"}', { 'content-type': 'application/json; charset="UTF-8"' }),
    201,
    undefined,
  ],
  ['27', 'a compressed body', post('{}', { 'content-encoding': 'gzip' }), 415, undefined],
  ['29', 'half a document', post('{"a":'), 400, { code: 'parse_error' }],
  ['29', 'NaN', post('NaN'), 400, { code: 'parse_error' }],
  ['29', 'single quotes', post("'x'"), 400, { code: 'parse_error' }],
  ['29', 'a trailing comma', post('{"name":"a",}'), 400, { code: 'parse_error' }],
  ['29', 'two documents', post('{} {}'), 400, { code: 'parse_error' }],
  ['29', 'no body at all', { method: 'POST' }, 400, { name: ['This field is required.'] }],
  ['29', 'an empty body of JSON', post(''), 400, { name: ['This field is required.'] }],
  ['30', 'null', post('null'), 400, { non_field_errors: ['This field may not be null.'] }],
  [
    '30',
    'a list',
    post('[]'),
    400,
    { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] },
  ],
  [
    '30',
    'a text',
    post('"x"'),
    400,
    { non_field_errors: ['Invalid data. Expected a dictionary, but got str.'] },
  ],
  [
    '30',
    'a number',
    post('3'),
    400,
    { non_field_errors: ['Invalid data. Expected a dictionary, but got number.'] },
  ],
  [
    '31',
    'bytes that are not UTF-8',
    post(Buffer.from([0x22, 0xff, 0x22])),
    400,
    { code: 'parse_error' },
  ],
  ['31', 'NUL in a text', post('{"name":"a\\u0000"}'), 400, { name: expect.anything() }],
  [
    '31',
    'NUL in a text nobody reads',
    create('"x":{"y":["\\u0000"]}'),
    400,
    { x: { y: expect.anything() } },
  ],
  ['31', 'half a surrogate pair', post('{"name":"\\ud800"}'), 400, { name: expect.anything() }],
  ['32', 'nesting of 64', create(`"x":${nested(63)}`), 201, { name: 'a' }],
  ['32', 'nesting of 65', create(`"x":${nested(64)}`), 400, { code: 'parse_error' }],
  ['32', 'nesting of 5,000', post(nested(5000)), 400, { code: 'parse_error' }],
  ['32', 'nesting of 400,000', post(nested(400_000)), 400, { code: 'parse_error' }],
  ['32', 'brackets inside a text', post(`{"name":"${'['.repeat(100)}\\"["}`), 201, undefined],
  ['33', '__proto__', create('"__proto__":{"x":1}'), 400, { code: 'parse_error' }],
  [
    '33',
    'constructor.prototype',
    create('"constructor":{"prototype":{}}'),
    400,
    { code: 'parse_error' },
  ],
  [
    '34',
    'one byte too much',
    post(`"${'a'.repeat(2 * 1024 * 1024 - 1)}"`),
    413,
    { code: 'payload_too_large' },
  ],
  [
    '36',
    'a name that is blank',
    post('{"name":" "}'),
    400,
    { name: ['This field may not be blank.'] },
  ],
  [
    '36',
    'a name that is null',
    post('{"name":null}'),
    400,
    { name: ['This field may not be null.'] },
  ],
  ['36', 'a name that is a flag', post('{"name":true}'), 400, { name: ['Not a valid string.'] }],
  [
    '36',
    'a name that is too long',
    post({ name: 'x'.repeat(257) }),
    400,
    { name: ['Ensure this field has no more than 256 characters.'] },
  ],
  ['36', 'a name that is a number', post('{"name":12}'), 201, { name: '12' }],
  [
    '37',
    'a name in any script',
    post({ name: '\u202eא👩‍👩‍👧<b>' }),
    201,
    { name: '\u202eא👩‍👩‍👧<b>' },
  ],
  [
    '39',
    'an id of 32 bits and more',
    create('"owner_id":2147483648'),
    400,
    { owner_id: expect.anything() },
  ],
  [
    '39',
    'a number that is infinite',
    create('"owner_id":1e999'),
    400,
    { owner_id: ['A valid number is required.'] },
  ],
  [
    '29',
    'a key twice, of which the last counts',
    post('{"name":"a","name":"b"}'),
    201,
    { name: 'b' },
  ],
])('row %s: POST /projects with %s', (_row, _what, sent, status, body) => {
  test(`is ${status}`, async () => {
    const answer = await send('/api/projects', sent)
    expect(answer.status).toBe(status)
    if (body !== undefined) expect(answer.json()).toMatchObject(Object(body))
    expect(Reflect.get({}, 'x')).toBeUndefined()
  })
})

test('a chunked body is refused at the size limit', async () => {
  async function* chunks() {
    for (let sent = 0; sent < 4; sent++) yield Buffer.alloc(1024 * 1024, 0x20)
  }
  expect((await send('/api/projects', post(chunks()))).status).toBe(413)
})

test('PATCH names every key that cannot be changed', async () => {
  const body = { owner: 1, created_date: 'x' }
  const answer = await send('/api/projects/7', { method: 'PATCH', body })
  expect(answer.status).toBe(400)
  expect(answer.headers['x-error-code']).toBe('unknown_field')
  const refused = ['This field cannot be updated.']
  expect(answer.json()).toEqual({ owner: refused, created_date: refused })
})

test('the body of DELETE is ignored', async () => {
  const headers = { 'content-type': 'text/plain' }
  const answer = await send('/api/projects/7', { method: 'DELETE', headers, body: 'x' })
  expect(answer.status).toBe(204)
})

test('an If-Match header that is not a list of tags is refused with 400', async () => {
  const headers = { 'if-match': 'old' }
  const answer = await send('/api/projects/7', { method: 'PATCH', headers, body: {} })
  expect(answer.status).toBe(400)
})

test('the details of an unexpected service error are not disclosed', async () => {
  const broken = await startTestGateway({
    bugs,
    services: {
      projects: {
        async getProject() {
          throw new Error('select secret from /etc/passwd')
        },
        async listProjects() {
          throw notFound('Invalid page.')
        },
      },
    },
  })
  const answer = await broken.send('/api/projects/7')
  expect(answer.status).toBe(500)
  expect(answer.json()).toMatchObject({ detail: 'Internal server error', code: 'internal' })
  expect(answer.text).not.toContain('secret')
  expect(bugs).toHaveLength(1)
  expect((await broken.send('/api/projects')).json()).toMatchObject({ detail: 'Invalid page.' })
})
