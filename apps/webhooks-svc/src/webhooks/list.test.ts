import { randomUUID } from 'node:crypto'
import { isPage } from '@reticle/contracts/api/operation'
import { webhooks as table } from '@reticle/contracts/api/webhooks'
import { webhookList } from '@reticle/contracts/rest/webhooks'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addWebhook, projectFacts, secrets, testHandlers } from '../testing/world.ts'

/** Search, filters and sort orders of the webhook list. */

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const deps = {
  db,
  tasks: projectFacts({}),
  clock: testClock(),
  secrets,
  perProject: 3,
  perOrganization: 2,
}
const guard = { nets: [], allowHttp: false }
const over = (on = db, tasks = deps.tasks) => testHandlers({ ...deps, db: on, tasks, guard })
const [anna, admin] = [callAs({ user_id: 1 }), callAs({ user_id: 9, role: 'admin' })]

const a = await addWebhook(db, {
  target_url: 'https://a.example/hook',
  owner_username: 'zoe',
  description: 'Nightly CI',
  updated_date: new Date('2026-03-05T00:00:00Z'),
})
const b = await addWebhook(db, { target_url: 'https://b.example', project_id: 8, owner_id: 2 })

/** Parses the query as the gateway does, with `filter` as JSON. */
const read = ({ filter, ...query }: Record<string, unknown>) =>
  webhookList.parse({ ...query, ...(filter !== undefined && { filter: JSON.stringify(filter) }) })

describe.each(transports)('over %s', (transport) => {
  const webhooks = overTransport(transport, table, over())
  const found = async (query: Record<string, unknown>, user = admin) =>
    (await webhooks.listWebhooks(read(query), user)).results.map(({ id }) => id)

  test.each([
    ['a.example', [a]],
    ['EXAMPLE', [b, a]],
    ['zoe hook', [a]],
    ['"nightly ci"', [a]],
    ['"ci nightly"', []],
    ['project', []],
  ])('a search for %s returns the matching webhooks', async (search, expected) => {
    expect(await found({ search })).toEqual(expected)
  })

  test.each([
    ['id', a, [a]],
    ['target_url', 'https://b.example', [b]],
    ['owner', 'zoe', [a]],
    ['owner', 'Zoe', []],
    ['type', 'project', [b, a]],
    ['project_id', 8, [b]],
  ])(
    '%s equal to %s matches as a simple filter and in an expression',
    async (name, value, expected) => {
      expect(await found({ [name]: String(value) })).toEqual(expected)
      expect(await found({ filter: { '==': [{ var: name }, value] } })).toEqual(expected)
    },
  )

  test.each([
    [{ filter: { in: ['ci', { var: 'description' }] } }, [a]],
    [{ filter: { '>': [{ var: 'updated_date' }, '2026-03-02'] } }, [a]],
    [{ filter: { '!': { in: [{ var: 'id' }, [a]] } }, type: 'project' }, [b]],
    [{ sort: 'description' }, [b, a]],
    [{ sort: '-updated_date' }, [a, b]],
    [{ sort: 'project_id' }, [a, b]],
    [{ sort: 'owner' }, [b, a]],
    [{ sort: 'nosuch' }, [b, a]],
  ])('the list follows %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('no filter or search shows webhooks that the caller may not see', async () => {
    const filter = { or: [{ var: 'id' }, { '!': { var: 'id' } }] }
    expect(await found({ filter }, anna)).toEqual([a])
    expect(await found({ search: 'b.example' }, anna)).toEqual([])
  })
})

test('filters and sorting need no additional statements', async () => {
  const counted = async (query: Record<string, unknown>) => {
    const { db: watched, statements } = countStatements(db)
    await over(watched).listWebhooks(read(query), admin)
    return statements()
  }
  const filter = { or: [{ in: ['ci', { var: 'description' }] }, { '>': [{ var: 'id' }, 0] }] }
  expect(await counted({ filter, search: 'example', sort: 'owner' })).toBe(await counted({}))
})

test('lists need the same number of statements for many rows as for few', async () => {
  const lists = Object.values(table).filter(({ answers }) => isPage(Object.values(answers)[0]))
  const names = ['listWebhooks', 'listDeliveries', 'listWebhookMessages']
  expect(lists.map(({ name }) => name)).toEqual(names)
  const look = async () => {
    const { db: watched, statements } = countStatements(db)
    const here = over(watched, projectFacts({ 7: { owner_id: 1 } }))
    const asked = { id: a, page_size: 'all', after: 0 }
    const seen: number[] = []
    for (const list of [
      () => here.listWebhooks({ page_size: 'all' }, admin),
      () => here.listDeliveries(asked, admin),
      () => here.listWebhookMessages(asked, admin),
    ]) {
      const before = statements()
      const { results } = await list()
      seen.push(results.length, statements() - before)
    }
    return seen
  }
  const few = await look()
  for (let index = 0; index < 20; index++) await addWebhook(db)
  await addDeliveries(20)
  expect(await look()).toEqual(few.map((seen, at) => (at % 2 === 0 ? seen + 20 : seen)))
})

/** Inserts attempts of the first webhook, each with a separate message. */
async function addDeliveries(count: number) {
  const now = new Date()
  for (let sequence = 1; sequence <= count; sequence++) {
    const { id: message_id } = await db
      .insertInto('webhook_messages')
      .values({
        webhook_id: a,
        sequence,
        event: 'update:task',
        key: 'task:1',
        changed_fields: '',
        event_id: randomUUID(),
        delivery_id: randomUUID(),
        body: Buffer.from('{}'),
        created_date: now,
        next_attempt_date: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('webhook_deliveries')
      .values({
        webhook_id: a,
        message_id,
        status_code: 200,
        attempt: 1,
        request_duration: 1,
        response: '',
        created_date: now,
        updated_date: now,
      })
      .execute()
  }
}
