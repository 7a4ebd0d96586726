import { type BadInputRow, buildRows, type RawRow } from './row.ts'

/** Rows 1 to 11 and 25 to 35: HTTP and JSON. Row 35 takes half a minute and is part of the gateway's own tests. */

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const project = { call: 'POST /projects', status: 400 } as const
const json = { 'content-type': 'application/json' }

export const http: BadInputRow[] = [
  ...buildRows(
    {
      'an id with an invalid percent escape': ['%zz', 400],
      'an id of a NUL character': ['%00', 404],
      'an id with an encoded path': ['1%2F..%2F2', 404],
      'an id with a full-width digit': ['%EF%BC%91', 404],
      'a word as id': ['abc', 404],
      'a negative id': ['-1', 404],
      'an id of 0': ['0', 404],
      'a fraction as id': ['1.0', 404],
      'an exponent in an id': ['1e3', 404],
      'an id of 2^31': ['2147483648', 404],
      'an id of 30 digits': ['9'.repeat(30), 404],
    } as const,
    ([id, status]) => ({ row: id === '%zz' ? 4 : 5, call: `GET /projects/${id}`, status }),
  ),
  { row: 8, what: 'an unknown path', call: 'GET /nothing', status: 404 },
  { row: 8, what: 'a path with two slashes', call: 'GET //projects', status: 404 },
  ...buildRows(
    {
      'PUT to a project': 'PUT /projects/{project}',
      'DELETE to the list of projects': 'DELETE /projects',
      'POST to a request': 'POST /requests/x',
      'PUT to a job': 'PUT /jobs/{job}',
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
  {
    row: 10,
    what: 'HEAD without a credential',
    call: 'HEAD /projects',
    as: 'anonymous',
    status: 401,
  },
  { row: 10, what: 'OPTIONS', call: 'OPTIONS /projects/{project}', as: 'anonymous', status: 204 },
  {
    row: 11,
    what: 'a method override header',
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
    what: 'a gzip-compressed body',
    ...{ call: 'POST /projects', raw: '{"name":"a"}', headers: { 'content-encoding': 'gzip' } },
    status: 415,
  },
  {
    row: 28,
    what: 'Accept with only text/csv',
    call: 'GET /projects',
    headers: { accept: 'text/csv' },
    status: 406,
  },
  ...buildRows(
    {
      'a truncated document': '{"a":',
      NaN: 'NaN',
      'single quotes': "'x'",
      'a trailing comma': '{"name":"a",}',
      'two documents': '{"name":"a"} {}',
    },
    (raw) => ({ row: 29, ...project, raw, code: 'parse_error' }),
  ),
  { row: 29, what: 'no body', ...project, headers: json, field: 'name' },
  ...buildRows(
    { null: 'null', 'a list as body': '[]', 'a text as body': '"x"', 'a number as body': '3' },
    (raw) => ({
      ...{ row: 30, ...project, raw, field: 'non_field_errors' },
    }),
  ),
  {
    row: 31,
    what: 'a body that is not UTF-8',
    ...project,
    raw: new Uint8Array([0x22, 0xff, 0x22]),
    code: 'parse_error',
  },
  ...buildRows(
    {
      'a NUL in a name': '{"name":"a\\u0000"}',
      'a lone surrogate in a name': '{"name":"\\ud800"}',
    },
    (raw) => ({
      ...{ row: 31, ...project, raw, field: 'name' },
    }),
  ),
  ...buildRows({ '65 levels': 65, '5,000 levels': 5000, '400,000 levels': 400_000 }, (depth) => ({
    ...{ row: 32, ...project, raw: nested(depth), code: 'parse_error' },
  })),
  ...buildRows(
    {
      'a __proto__ key': '{"name":"a","__proto__":{"x":1}}',
      'a nested __proto__ key': '{"name":"a","labels":[{"name":"b","__proto__":{"x":1}}]}',
      'a constructor.prototype key': '{"name":"a","constructor":{"prototype":{"x":1}}}',
    },
    (raw) => ({ row: 33, ...project, raw }),
  ),
  {
    row: 33,
    what: 'a __proto__ key in a filter',
    call: `GET /projects?filter=${encodeURIComponent('{"__proto__":[{"var":"id"},1]}')}`,
    status: 400,
  },
  {
    row: 34,
    what: 'a body one byte over the limit',
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
  {
    row: 1,
    what: 'a TLS client hello',
    bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc',
    status: 400,
  },
  { row: 2, what: 'no Host', bytes: get('/api/server/about'), status: 400 },
  {
    row: 2,
    what: 'two Content-Length headers',
    bytes: post('Content-Length: 2', 'Content-Length: 3'),
    status: 400,
  },
  {
    row: 2,
    what: 'Content-Length with chunked encoding',
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
    what: 'a path with ..',
    bytes: get('/api/projects/1/../2', 'Host: x'),
    status: 404,
  },
  {
    row: 25,
    what: 'a body without Content-Type',
    bytes: post('Content-Length: 2').replace(/Content-Type.*\r\n/, ''),
    status: 415,
  },
  {
    row: 68,
    what: 'an annotation set of 513 MiB',
    bytes: post(`Content-Length: ${513 * 1024 * 1024}`).replace(
      'POST /api/projects',
      'PUT /api/jobs/1/annotations/',
    ),
    status: 413,
  },
  {
    row: 34,
    what: 'a Content-Length over all limits',
    bytes: post('Content-Length: 99999999999'),
    status: 413,
  },
]
