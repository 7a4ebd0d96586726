import { type BadInputRow, buildRows, type RawRow } from './row.ts'

/** Rows 1 to 11 and 25 to 35: HTTP and JSON. Row 35 takes half a minute and is part of the gateway's own tests. */

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const project = { call: 'POST /projects', status: 400 } as const
const json = { 'content-type': 'application/json' }

export const http: BadInputRow[] = [
  ...buildRows(
    {
      'an id of half an escape': ['%zz', 400],
      'a NUL as id': ['%00', 404],
      'a path within an id': ['1%2F..%2F2', 404],
      'a digit of another alphabet': ['%EF%BC%91', 404],
      'a word as id': ['abc', 404],
      'a negative id': ['-1', 404],
      'an id of 0': ['0', 404],
      'a fraction as id': ['1.0', 404],
      'an exponent in an id': ['1e3', 404],
      'an id of 32 bits and more': ['2147483648', 404],
      'an id of 30 digits': ['9'.repeat(30), 404],
    } as const,
    ([id, status]) => ({ row: id === '%zz' ? 4 : 5, call: `GET /projects/${id}`, status }),
  ),
  { row: 8, what: 'an unknown path', call: 'GET /nothing', status: 404 },
  { row: 8, what: 'two slashes', call: 'GET //projects', status: 404 },
  ...buildRows(
    {
      'PUT of a project': 'PUT /projects/{project}',
      'DELETE of all projects': 'DELETE /projects',
      'POST to a request': 'POST /requests/x',
      'PUT of a job': 'PUT /jobs/{job}',
    },
    (call) => ({
      row: 9,
      call,
      status: 405,
      code: 'method_not_allowed',
      answers: { allow: 'GET' },
    }),
  ),
  { row: 10, what: 'HEAD', call: 'HEAD /projects/{project}', status: 200 },
  { row: 10, what: 'HEAD without a credential', call: 'HEAD /projects', as: 'nobody', status: 401 },
  { row: 10, what: 'OPTIONS', call: 'OPTIONS /projects/{project}', as: 'nobody', status: 204 },
  {
    row: 11,
    what: 'another method in a header',
    call: 'GET /projects',
    headers: { 'x-http-method-override': 'DELETE' },
    status: 200,
  },
  ...buildRows(
    {
      text: 'text/plain',
      XML: 'application/xml',
      'a form': 'application/x-www-form-urlencoded',
      'UTF-16': 'application/json; charset=utf-16',
    },
    (type) => ({
      row: type.includes('utf') ? 26 : 25,
      ...{ call: 'POST /projects', raw: '{"name":"a"}', headers: { 'content-type': type } },
      ...{ status: 415, code: 'unsupported_media_type' },
    }),
  ),
  {
    row: 27,
    what: 'a packed body',
    ...{ call: 'POST /projects', raw: '{"name":"a"}', headers: { 'content-encoding': 'gzip' } },
    status: 415,
  },
  {
    row: 28,
    what: 'CSV alone',
    call: 'GET /projects',
    headers: { accept: 'text/csv' },
    status: 406,
  },
  ...buildRows(
    {
      'half a document': '{"a":',
      NaN: 'NaN',
      'single quotes': "'x'",
      'a trailing comma': '{"name":"a",}',
      'two documents': '{"name":"a"} {}',
    },
    (raw) => ({ row: 29, ...project, raw, code: 'parse_error' }),
  ),
  { row: 29, what: 'no body at all', ...project, headers: json, field: 'name' },
  ...buildRows({ null: 'null', 'a list': '[]', 'a text': '"x"', 'a number': '3' }, (raw) => ({
    ...{ row: 30, ...project, raw, field: 'non_field_errors' },
  })),
  {
    row: 31,
    what: 'bytes that are no UTF-8',
    ...project,
    raw: new Uint8Array([0x22, 0xff, 0x22]),
    code: 'parse_error',
  },
  ...buildRows({ 'a NUL': '{"name":"a\\u0000"}', 'half a pair': '{"name":"\\ud800"}' }, (raw) => ({
    ...{ row: 31, ...project, raw, field: 'name' },
  })),
  ...buildRows({ '65 levels': 65, '5,000 levels': 5000, '400,000 levels': 400_000 }, (depth) => ({
    ...{ row: 32, ...project, raw: nested(depth), code: 'parse_error' },
  })),
  ...buildRows(
    {
      'a prototype': '{"name":"a","__proto__":{"x":1}}',
      'a prototype deep inside': '{"name":"a","labels":[{"name":"b","__proto__":{"x":1}}]}',
      'the prototype of a constructor': '{"name":"a","constructor":{"prototype":{"x":1}}}',
    },
    (raw) => ({ row: 33, ...project, raw }),
  ),
  {
    row: 33,
    what: 'a prototype in a filter',
    call: `GET /projects?filter=${encodeURIComponent('{"__proto__":[{"var":"id"},1]}')}`,
    status: 400,
  },
  {
    row: 34,
    what: 'one byte too much',
    ...{ call: 'POST /projects', raw: `"${'a'.repeat(2 * 1024 * 1024 - 1)}"` },
    ...{ status: 413, code: 'payload_too_large' },
  },
]

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n')
const post = (...headers: string[]) =>
  [
    'POST /api/projects HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    '{credential}',
    ...headers,
    '',
    '',
  ].join('\r\n')

export const rawHttp: RawRow[] = [
  { row: 1, what: 'no request line', bytes: 'nonsense\r\n\r\n', status: 400 },
  { row: 1, what: 'the hello of TLS', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc', status: 400 },
  { row: 2, what: 'no Host', bytes: get('/api/server/about'), status: 400 },
  {
    row: 2,
    what: 'two lengths',
    bytes: post('Content-Length: 2', 'Content-Length: 3'),
    status: 400,
  },
  {
    row: 2,
    what: 'a length and chunks',
    bytes: post('Content-Length: 2', 'Transfer-Encoding: chunked'),
    status: 400,
  },
  {
    row: 3,
    what: 'a header of 20 KB',
    bytes: get('/api/server/about', 'Host: x', `X-Long: ${'a'.repeat(20_000)}`),
    status: 431,
  },
  {
    row: 3,
    what: '2,000 headers',
    bytes: get('/api/server/about', 'Host: x', ...Array.from({ length: 2000 }, () => 'a: b')),
    status: 431,
  },
  {
    row: 8,
    what: 'a way back in the path',
    bytes: get('/api/projects/1/../2', 'Host: x'),
    status: 404,
  },
  {
    row: 25,
    what: 'a body of no type',
    bytes: post('Content-Length: 2').replace(/Content-Type.*\r\n/, ''),
    status: 415,
  },
  {
    row: 68,
    what: 'a set of 513 MiB',
    bytes: post(`Content-Length: ${513 * 1024 * 1024}`).replace(
      'POST /api/projects',
      'PUT /api/jobs/1/annotations/',
    ),
    status: 413,
  },
  {
    row: 34,
    what: 'a length beyond all limits',
    bytes: post('Content-Length: 99999999999'),
    status: 413,
  },
]
