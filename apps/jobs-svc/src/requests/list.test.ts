import { isPage } from '@reticle/contracts/api/operation'
import { requests as table } from '@reticle/contracts/api/requests'
import { requestList } from '@reticle/contracts/rest/requests'
import { notFound } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { addRequest } from '../testing/rows.ts'
import { authorityOf, noEvents, noStorages } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'

/** Filters, sorting and pages of the list of requests: docs/spec/requests.md#request-records */

const db = await testDb<RequestsDb>(migrations, 'requests')
const services = {
  storages: noStorages,
  tasks: authorityOf([]),
  annotations: { getRevision: async () => ({ etag: '"1"' }) },
  events: noEvents,
  organizations: {
    findWorkspace: async ({ slug }: { slug?: string }) => {
      if (slug !== 'acme') throw notFound()
      return { organization_id: 2 }
    },
  },
}
const over = (on = db) => requestHandlers({ db: on, services, settings: settingsOf({}) })
const anna = callAs({ user_id: 1, username: 'anna' })

await addRequest(db, { rq_id: 'a', created: 1, status: 'failed', org_id: 2, project_id: 7 })
await addRequest(db, { rq_id: 'b', created: 2, format: 'YOLO 1.1', subresource: 'dataset' })
await addRequest(db, {
  rq_id: 'c',
  created: 3,
  action: 'create',
  subresource: null,
  format: null,
  target: 'job',
  task_id: 4,
  job_id: 9,
})
await addRequest(db, { rq_id: 'd', created: 4, owner_id: 2 })

/** Parses a query as the gateway does, with `filter` as JSON. */
const read = ({ filter, ...query }: Record<string, unknown>) =>
  requestList.parse({ ...query, ...(filter !== undefined && { filter: JSON.stringify(filter) }) })

describe.each(transports)('over %s', (transport) => {
  const requests = overTransport(transport, table, over())
  const found = async (query: Record<string, unknown>) =>
    (await requests.listRequests(read(query), anna)).results.map(({ id }) => id).join('')

  test.each([
    ['id', 'b', 'b'],
    ['status', 'failed', 'a'],
    ['action', 'create', 'c'],
    ['target', 'job', 'c'],
    ['subresource', 'dataset', 'b'],
    ['format', 'YOLO 1.1', 'b'],
    ['format', 'yolo 1.1', ''],
    ['project_id', 7, 'a'],
    ['task_id', 4, 'c'],
    ['job_id', 9, 'c'],
    ['org_id', 2, 'a'],
  ])('%s is %s, as a simple filter and in an expression', async (name, value, expected) => {
    expect(await found({ [name]: String(value) })).toBe(expected)
    expect(await found({ filter: { '==': [{ var: name }, value] } })).toBe(expected)
  })

  test.each([
    [{ org: '' }, 'cb'],
    [{ org: 'nosuch' }, ''],
    [{ org: 'acme' }, 'a'],
    [{ org: 'acme', org_id: '3' }, ''],
    [{ org_id: '' }, 'cba'],
    [{ filter: { '==': [{ var: 'org_id' }, null] } }, 'cb'],
    [{ filter: { '<=': [{ var: 'created_date' }, '2026-01-01T00:00:02Z'] } }, 'ba'],
    [{ filter: { '!': { var: 'format' } } }, 'c'],
    [{ filter: { in: [{ var: 'status' }, ['failed', 'finished']] } }, 'a'],
    [{ filter: { in: ['yolo', { var: 'format' }] }, action: 'export' }, 'b'],
    [{ filter: { var: 'id' } }, 'cba'],
    [{ sort: 'created_date' }, 'abc'],
    [{ sort: 'status' }, 'abc'],
    [{ sort: 'action,created_date' }, 'cab'],
    [{ sort: 'format' }, 'cba'],
    [{ sort: 'id' }, 'cba'],
  ])('by %j', async (query, expected) => {
    expect(await found(query)).toBe(expected)
  })
})

test.each(['status', 'action', 'target', 'subresource'])('%s is one of its words', (name) => {
  expect(requestList.safeParse({ [name]: 'nosuch' }).success).toBe(false)
})

test('filters and sorting cost no additional SQL statements', async () => {
  const counted = async (query: Record<string, unknown>) => {
    const { db: watched, statements } = countStatements(db)
    await over(watched).listRequests(read(query), anna)
    return statements()
  }
  const filter = { or: [{ var: 'format' }, { '>': [{ var: 'task_id' }, 0] }] }
  expect(await counted({ filter, sort: 'action', org: '' })).toBe(await counted({}))
})

test('the number of SQL statements of a list does not grow with its rows', async () => {
  const lists = Object.values(table).filter(({ answers }) => isPage(Object.values(answers)[0]))
  expect(lists.map(({ name }) => name)).toEqual(['listRequests'])
  const look = async () => {
    const { db: watched, statements } = countStatements(db)
    const { results } = await over(watched).listRequests({ page_size: 'all' }, anna)
    return { statements: statements(), rows: results.length }
  }
  const few = await look()
  for (let index = 0; index < 20; index++) await addRequest(db, { rq_id: `more ${index}` })
  expect(await look()).toEqual({ statements: few.statements, rows: few.rows + 20 })
})
