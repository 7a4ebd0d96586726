import { type BadInputRow, buildRows } from './row.ts'

/** Rows 12 to 24 and 102: credentials and workspaces. Rows 17 and 18 need many calls and are in the test itself. */

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const token = { call: 'POST /auth/access_tokens', as: 'password' } as const

export const people: BadInputRow[] = [
  {
    row: 12,
    what: 'nobody',
    ...{ call: 'GET /projects', as: 'nobody', status: 401, code: 'not_authenticated' },
    answers: { 'www-authenticate': 'Token' },
  },
  ...buildRows(
    {
      'a scheme alone': 'Token',
      'two words of a token': 'Token  x y',
      'another scheme alone': 'Bearer',
      'a token of 10 KB': `Token ${'a'.repeat(10_000)}`,
      'a token that is not ASCII': 'Token \u00fc\u00fc\u00fc',
      'a scheme that nobody knows': 'Digest x',
    },
    (authorization) => ({
      row: 13,
      ...{ call: 'GET /projects', as: 'nobody', headers: { authorization }, status: 401 },
    }),
  ),
  ...buildRows({ 'an expired token': 'expired', 'a revoked token': 'revoked' } as const, (as) => ({
    ...{ row: 14, call: 'GET /projects', as, status: 401 },
  })),
  {
    row: 14,
    what: 'the token of somebody who left',
    call: 'GET /projects',
    as: 'left',
    status: 401,
  },
  ...buildRows(
    {
      POST: 'POST /projects',
      PATCH: 'PATCH /projects/{project}',
      DELETE: 'DELETE /projects/{project}',
    },
    (call) => ({
      ...{ row: 15, call, as: 'reader', json: { name: 'x' }, status: 403, code: 'forbidden' },
    }),
  ),
  ...buildRows(
    {
      'what is not base64': 'Basic %%%',
      'no colon': basic('anna'),
      'a wrong password': basic('anna:wrong'),
      'a name that nobody has': basic('nobody:wrong'),
    },
    (authorization) => ({
      row: 16,
      ...{ call: 'GET /projects', as: 'nobody', headers: { authorization }, status: 401 },
    }),
  ),
  {
    row: 19,
    what: 'a token that makes tokens',
    ...{ call: 'POST /auth/access_tokens', json: { name: 'x' }, status: 403 },
  },
  {
    row: 19,
    what: 'a token that changes itself',
    ...{ call: 'PATCH /auth/access_tokens/{token}', json: { read_only: false }, status: 403 },
  },
  ...buildRows(
    { 'no such day': '31/02/2027', 'no such month': '13/13/2027', 'a word': 'soon' },
    (day) => ({
      ...{ row: 20, ...token, json: { name: 'x', expiry_date: day }, status: 400 },
      field: 'expiry_date',
    }),
  ),
  ...buildRows(
    { 'a day that is over': '01/01/2000', 'a day in ISO': '2027-01-31' },
    (expiry_date) => ({
      ...{ row: 20, ...token, json: { name: 'x', expiry_date }, status: 201, changes: true },
    }),
  ),
  {
    row: 21,
    what: 'an unknown slug in the header',
    ...{ call: 'GET /projects', headers: { 'x-organization': 'nosuch' }, status: 404 },
  },
  { row: 21, what: 'an unknown slug', call: 'GET /projects?org=nosuch', status: 404 },
  { row: 21, what: 'an unknown id', call: 'GET /projects?org_id=999999', status: 404 },
  { row: 22, what: 'a slug and an id', call: 'GET /projects?org=acme&org_id=1', status: 400 },
  {
    row: 22,
    what: 'a header and an id',
    ...{ call: 'GET /projects?org_id=1', headers: { 'x-organization': 'acme' }, status: 400 },
  },
  {
    row: 22,
    what: 'two slugs',
    ...{ call: 'GET /projects?org=acme', headers: { 'x-organization': 'other' }, status: 400 },
  },
  { row: 23, what: 'a word as id', call: 'GET /projects?org_id=abc', status: 400, field: 'org_id' },
  { row: 23, what: 'a NUL in a slug', call: 'GET /projects?org=a%00', status: 400, field: 'org' },
  { row: 23, what: 'a slug of 300', call: `GET /projects?org=${'a'.repeat(300)}`, status: 404 },
  { row: 23, what: 'the sandbox', call: 'GET /projects?org_id=', status: 200 },
  { row: 24, what: 'a list of others', call: 'GET /projects?org=acme', as: 'bo', status: 404 },
  {
    row: 24,
    what: 'a project for others',
    ...{ call: 'POST /projects?org=acme', as: 'bo', json: { name: 'x' }, status: 404 },
  },
  {
    row: 102,
    what: 'a page of another site with the cookie of a session',
    ...{ call: 'POST /projects', as: 'browser', json: { name: 'x' } },
    ...{ headers: { origin: 'https://elsewhere.example.org' }, status: 403, code: 'csrf_failed' },
  },
]
