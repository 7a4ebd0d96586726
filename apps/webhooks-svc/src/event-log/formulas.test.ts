import { text } from 'node:stream/consumers'
import { eventColumns } from '@reticle/contracts/rest/events'
import { copyOut } from '@reticle/kit/db/copy'
import { testDb } from '@reticle/kit/testing/db'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { insertEvents, selectExported } from './repo.ts'

/** A spreadsheet that opens the exported event log must not run a name that a user chose as a formula. */

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
let count = 0

/** Inserts an event with these values and returns its row of the exported file. */
async function exported(given: object): Promise<Record<string, string>> {
  count += 1
  const event = {
    event_id: `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
    ordinal: 0,
    ...{
      scope: 'update:project',
      obj_name: 'name',
      obj_id: null,
      obj_val: 'x',
      source: 'server' as const,
    },
    timestamp: new Date('2026-03-01T10:00:00Z'),
    count: 1,
    duration: 0,
    project_id: count,
    task_id: null,
    job_id: null,
    user_id: 3,
    user_name: 'anna',
    org_id: null,
    user_email: 'anna@example.org',
    org_slug: 'acme',
    payload: null,
    access_token_id: null,
    address: null,
    ...given,
  }
  await insertEvents(db, [event])
  const none = { org_id: null, task_id: null, job_id: null, user_id: null, from: null, to: null }
  const query = selectExported(db, { ...none, project_id: count, is_personal: false })
  const [names = [], values = []] = readCsv(await text(copyOut(db, query, { as: 'csv' })))
  expect(names).toEqual(eventColumns)
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

/** Parses cells by RFC 4180. */
function readCsv(file: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of file.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g,
  )) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '\n') rows.push([])
  }
  return rows
}

const formulas = [
  ...['=HYPERLINK("http://127.0.0.1/","x")', '+1+1', '-2+3', '@SUM(1)', '\t=1', '\r=1', '\n=1'],
  ...[' =1+1', '   +1', '\u00a0=1', '\ufeff=1', '\u200b-1', '"=1"', '" =cmd|x', '-', '=', '-5'],
  ...[
    '\u200e=1',
    '\u00ad+1',
    '\u202a@x',
    '\u3000=1',
    '\u2066-1',
    '\ufe0f=1',
    '\u2028=1',
    '\u3164=1',
  ],
  ...['＝1+1', '＋1', '－1', '＠SUM(1)', '﹦1', '\u22121+1', '\tx', '\rx', '\nx', ' \t @x'],
]
const plain = ['a=1', 'x-1', 'a@example.org', '5', '', "'=1", '1-2', '(=1', 'ä', '#REF', '{"a":-1}']
const columns = ['obj_name', 'obj_val', 'user_name', 'user_email', 'org_slug', 'payload']

test.each(formulas)('%j becomes text in every text column', async (value) => {
  const row = await exported(Object.fromEntries(columns.map((name) => [name, value])))
  for (const name of columns) expect(row[name], name).toBe(`'${value}`)
})

test.each(plain)('%j is exported unchanged', async (value) => {
  const row = await exported(Object.fromEntries(columns.map((name) => [name, value])))
  for (const name of columns) expect(row[name], name).toBe(value)
})

test('a formula in a scope is escaped, and numbers stay numbers', async () => {
  const row = await exported({ scope: '=1', obj_id: -5, count: -1, duration: 12 })
  expect(row).toMatchObject({ scope: "'=1", obj_id: '-5', count: '-1', duration: '12' })
  expect(row.timestamp).toBe('2026-03-01T10:00:00.000Z')
})
