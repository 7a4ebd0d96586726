import { type BadInputRow, buildRows } from './row.ts'

/** Rows 12 to 24 and 102: credentials and workspaces. Rows 17 and 18 need many calls and are in the test itself. */

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const token = { call: 'POST /auth/access_tokens', as: 'password' } as const

export const people: BadInputRow[] = [
  {
    row: 12,
    what: 'no credential',
    ...{ call: 'GET /projects', as: 'anonymous', status: 401, code: 'not_authenticated' },
    answers: { 'www-authenticate': 'Token' },
  },
  ...buildRows(
    {
      'a scheme without a token': 'Token',
      'a token with a space': 'Token  x y',
      'Bearer without a token': 'Bearer',
      'a token of 10 KB': `Token ${'a'.repeat(10_000)}`,
      'a token that is not ASCII': 'Token \u00fc\u00fc\u00fc',
      'an unknown scheme': 'Digest x',
    },
    (authorization) => ({
      row: 13,
      ...{ call: 'GET /projects', as: 'anonymous', headers: { authorization }, status: 401 },
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
      'a Basic value that is not base64': 'Basic %%%',
      'a Basic value without a colon': basic('anna'),
      'a wrong password': basic('anna:wrong'),
      'an unknown user name': basic('nobody:wrong'),
    },
    (authorization) => ({
      row: 16,
      ...{ call: 'GET /projects', as: 'anonymous', headers: { authorization }, status: 401 },
    }),
  ),
  {
    row: 19,
    what: 'a token that creates tokens',
    ...{ call: 'POST /auth/access_tokens', json: { name: 'x' }, status: 403 },
  },
  {
    row: 19,
    what: 'a token that changes itself',
    ...{ call: 'PATCH /auth/access_tokens/{token}', json: { read_only: false }, status: 403 },
  },
  ...buildRows(
    {
      'a day that does not exist': '31/02/2027',
      'a month that does not exist': '13/13/2027',
      'a word as date': 'soon',
    },
    (day) => ({
      ...{ row: 20, ...token, json: { name: 'x', expiry_date: day }, status: 400 },
      field: 'expiry_date',
    }),
  ),
  ...buildRows(
    { 'an expiry date in the past': '01/01/2000', 'an ISO expiry date': '2027-01-31' },
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
  {
    row: 22,
    what: 'a slug and an id in the query',
    call: 'GET /projects?org=acme&org_id=1',
    status: 400,
  },
  {
    row: 22,
    what: 'a slug in the header and an id in the query',
    ...{ call: 'GET /projects?org_id=1', headers: { 'x-organization': 'acme' }, status: 400 },
  },
  {
    row: 22,
    what: 'different slugs in header and query',
    ...{ call: 'GET /projects?org=acme', headers: { 'x-organization': 'other' }, status: 400 },
  },
  { row: 23, what: 'a word as id', call: 'GET /projects?org_id=abc', status: 400, field: 'org_id' },
  { row: 23, what: 'a NUL in a slug', call: 'GET /projects?org=a%00', status: 400, field: 'org' },
  {
    row: 23,
    what: 'a slug of 300 characters',
    call: `GET /projects?org=${'a'.repeat(300)}`,
    status: 404,
  },
  { row: 23, what: 'an empty organization id', call: 'GET /projects?org_id=', status: 200 },
  {
    row: 24,
    what: 'a list of another organization',
    call: 'GET /projects?org=acme',
    as: 'bo',
    status: 404,
  },
  {
    row: 24,
    what: 'a project in another organization',
    ...{ call: 'POST /projects?org=acme', as: 'bo', json: { name: 'x' }, status: 404 },
  },
  {
    row: 102,
    what: 'a session cookie with the origin of another site',
    ...{ call: 'POST /projects', as: 'browser', json: { name: 'x' } },
    ...{ headers: { origin: 'https://elsewhere.example.org' }, status: 403, code: 'csrf_failed' },
  },
]
