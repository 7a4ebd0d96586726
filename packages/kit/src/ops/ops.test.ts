import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { Migrations } from '../db/migrate.ts'
import { startRelay } from '../outbox/relay.ts'
import { keyDeadEvents, outboxSentTable, outboxTables } from '../outbox/tables.ts'
import { newSecretKey, secretBox } from '../settings/secrets.ts'
import { testDatabase } from '../testing/db.ts'
import { rotateKeys } from './rotate.ts'
import { runServiceOps } from './service.ts'

const migrations: Migrations = {
  '0001-shop': {
    up: async (db: Kysely<unknown>) => {
      await outboxTables(db, 'shop')
      await sql`create table shop.safes (id integer primary key, secret_sealed text)`.execute(db)
    },
  },
  '0002-sent': {
    up: async (db: Kysely<unknown>) => {
      await outboxSentTable(db, 'shop')
      await keyDeadEvents(db, 'shop')
    },
  },
}
const { db, url } = await testDatabase<unknown>([{ schema: 'shop', migrations }])
const placeOf = (id: number) => `safes.secret:${id}`
const sealed = [{ table: 'safes', id: 'id', column: 'secret_sealed', placeOf }]
const shop = { service: 'shop-svc', schema: 'shop', sealed }
const id = (n: number) => `0199f7a0-0000-7000-8000-00000000000${n}`
const oldKey = newSecretKey('k1')
const newKey = newSecretKey('k2')

async function ops(line: string, env: Record<string, string> = { RETICLE_SHOP_DATABASE_URL: url }) {
  const said = { out: '', err: '' }
  const code = await runServiceOps(shop, env, line.split(' ').filter(Boolean), {
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
  })
  return { code, ...said }
}

beforeEach(async () => {
  await sql`truncate dead_events, outbox, outbox_sent, safes`.execute(db)
  await sql`
    insert into dead_events (consumer, event_id, topic, partition, "offset", key, headers, value, error, failed_date) values
      ('reader', ${id(1)}, 'reticle.events.v1', 3, 14, 'item:5', '{"event-type": "item.sold"}', '{"id": 5}', 'Error: no shelf', '2026-03-02Z'),
      ('writer', ${id(2)}, 'reticle.events.v1', 0, 2, 'item:6', '{}', '{}', 'TypeError: no', '2026-03-01Z')`.execute(
    db,
  )
})

test('the help lists every command, an example and the exit codes', async () => {
  for (const line of ['', '--help', 'help']) {
    const { code, out } = await ops(line)
    expect(code).toBe(0)
    for (const name of [
      'dead list',
      'dead show',
      'dead replay',
      'dead drop',
      'republish',
      'rotate-keys',
    ])
      expect(out).toMatch(new RegExp(`^ {2}${name} +\\S`, 'm'))
    expect(out).toContain('node apps/shop-svc/dist/admin.js dead list')
    expect(out).toContain('Exit codes: 0 done, 1 it failed')
  }
  expect((await ops('dead --help')).out).not.toContain('rotate-keys')
})

test.each([
  'dead list',
  'dead show',
  'dead replay',
  'dead drop',
  'republish',
  'pause-relay',
  'rotate-keys',
])('%s has a help text with examples', async (name) => {
  const { code, out } = await ops(`${name} --help`)
  expect(code).toBe(0)
  expect(out).toMatch(new RegExp(`^node apps/shop-svc/dist/admin.js ${name}`))
  expect(out).toMatch(/\nExamples:\n {2}node apps/)
})

test.each([
  ['ded', 2, 'There is no command "ded"'],
  ['dead lst', 2, 'There is no command "dead lst". There are: dead list, dead show'],
  ['dead show', 2, 'an event id is expected (a UUID), not ""'],
  ['dead show 7', 2, 'an event id is expected (a UUID), not "7"'],
  ['dead list --limit none', 2, '--limit: a number from 1 to 10000'],
  ['dead list --colour red', 2, "Unknown option '--colour'"],
  ['dead list --service store', 2, 'there is no "store", there are: shop-svc'],
  ['dead drop', 2, 'name an event id, or --all of them'],
  [`dead drop ${id(1)} --all`, 2, 'either one event id or --all'],
  ['republish', 2, '--since: a time is needed'],
  ['pause-relay --seconds long', 2, '--seconds: a number from 1 to 86400'],
  ['republish --since yesterday', 2, 'not "yesterday"'],
  [`dead show ${id(9)}`, 1, `no service has a dead event ${id(9)}: see dead list`],
  ['rotate-keys', 1, 'RETICLE_SECRET_KEYS is not set'],
])('%s fails with exit code %i and the message %s', async (line, expected, sentence) => {
  const { code, out, err } = await ops(line)
  expect({ code, out }).toEqual({ code: expected, out: '' })
  expect(err).toContain(sentence)
})

test('an unreachable database or a missing address is reported with the next step', async () => {
  const nobody = { RETICLE_SHOP_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' }
  expect((await ops('dead list', nobody)).err).toMatch(
    /no database server answers \(connect ECONNREFUSED 127.0.0.1:1\): start it, or correct/,
  )
  const { code, err } = await ops('dead list', {})
  expect(code).toBe(1)
  expect(err).toContain('RETICLE_SHOP_DATABASE_URL: needed')
})

test('dead events are listed newest first, and can be filtered by consumer', async () => {
  const { code, out } = await ops('dead list')
  expect(code).toBe(0)
  expect(out).toMatch(/^shop-svc: 2 dead\n/)
  expect(out).toMatch(new RegExp(`  ${id(1)}  \\S+Z  reader  item:5  Error: no shelf\n`))
  expect((await ops('dead list --consumer writer')).out).toMatch(/^shop-svc: 1 dead\n.*TypeError/)
  expect((await ops('dead list --limit 1')).out).toMatch(/^shop-svc: 1 or more dead/)
})

test('a dead event is shown completely', async () => {
  const { out } = await ops(`dead show ${id(1)}`)
  expect(JSON.parse(out)).toMatchObject({
    service: 'shop-svc',
    value: { id: 5 },
    headers: { 'event-type': 'item.sold' },
    offset: 14,
  })
})

test('one event is replayed, and all events of a consumer are dropped', async () => {
  expect((await ops(`dead replay ${id(1)}`)).out).toBe('shop-svc: 1 given back\n')
  expect((await ops('dead list')).out).toMatch(/no shelf \(given back, not yet taken\)/)
  expect((await ops('dead drop --all --consumer writer')).out).toBe('shop-svc: 1 dropped\n')
  expect((await ops('dead list')).out).toMatch(/^shop-svc: 1 dead/)
})

test('events published since a time are published again', async () => {
  await sql`
    insert into outbox_sent (id, event_id, topic, key, type, version, headers, data, created_date, sent_date)
    select n, gen_random_uuid(), 'reticle.events.v1', 'item:' || n, 'item.sold', 1, '{}', '{}', now(), now() - n * interval '1 hour'
    from generate_series(1, 3) n`.execute(db)
  const since = new Date(Date.now() - 2.5 * 3_600_000).toISOString().replace('Z', '000') // UTC
  expect((await ops(`republish --since ${since}`)).out).toBe('shop-svc: 2 events go out again\n')
  const { rows } = await sql`select key from outbox order by id`.execute(db)
  expect(rows).toEqual([{ key: 'item:1' }, { key: 'item:2' }])
})

test('a paused relay moves no events until the pause ends', async () => {
  const bus = {
    relay: async ({ session }: { session: Kysely<unknown> }) => {
      const taken = await sql`delete from shop.outbox`.execute(session)
      return Number(taken.numAffectedRows)
    },
  }
  const relay = startRelay({ url, schema: 'shop', bus, onError: () => undefined, pollMs: 20 })
  const waiting = async () => (await sql`select 1 from outbox`.execute(db)).rows.length
  const emit = () =>
    sql`
    insert into outbox (event_id, topic, key, type, version, headers, data)
    values (gen_random_uuid(), 'reticle.events.v1', 'item:1', 'item.sold', 1, '{}', '{}')`.execute(
      db,
    )
  await emit()
  await expect.poll(waiting).toBe(0)

  const paused = ops('pause-relay --seconds 1')
  await sleep(300)
  await emit()
  relay.wake()
  await sleep(300)
  expect(await waiting()).toBe(1)
  expect((await paused).out).toBe('shop-svc: paused\nevents go on\n')
  await expect.poll(waiting).toBe(0)
  await relay.stop()
})

const openWith = (keys: string) => async () => {
  const { rows } = await sql<{ id: number; secret_sealed: string }>`
    select * from safes where secret_sealed is not null order by id`.execute(db)
  return rows.map(({ id, secret_sealed }) => secretBox(keys).open(secret_sealed, placeOf(id)))
}
const fill = async (count: number, box = secretBox(oldKey)) => {
  for (let n = 1; n <= count; n++)
    await sql`insert into safes values (${n}, ${box.seal(`secret ${n}`, placeOf(n))})`.execute(db)
}

test('after a rotation the old key is not needed any more', async () => {
  await fill(450)
  await sql`insert into safes values (1000, null), (1001, ${secretBox(newKey).seal('new', placeOf(1001))})`.execute(
    db,
  )
  const env = { RETICLE_SHOP_DATABASE_URL: url, RETICLE_SECRET_KEYS: `${newKey},${oldKey}` }
  expect((await ops('rotate-keys', env)).out).toBe(
    'shop-svc: 450 rewritten, 1 had the newest key already\n',
  )
  expect((await openWith(newKey)()).slice(0, 2)).toEqual(['secret 1', 'secret 2'])
  expect((await ops('rotate-keys', env)).out).toMatch(/^shop-svc: 0 rewritten, 451 had/)
})

test('a rotation names the row with an unknown key, and succeeds once the key is known', async () => {
  await fill(3)
  const foreign = newSecretKey('k9')
  await sql`update safes set secret_sealed = ${secretBox(foreign).seal('secret 2', placeOf(2))} where id = 2`.execute(
    db,
  )
  const env = { RETICLE_SHOP_DATABASE_URL: url, RETICLE_SECRET_KEYS: `${newKey},${oldKey}` }
  const failed = await ops('rotate-keys', env)
  expect(failed.code).toBe(1)
  expect(failed.err).toContain('row 2 of safes: a secret was sealed with the key "k9"')
  const again = { ...env, RETICLE_SECRET_KEYS: `${newKey},${oldKey},${foreign}` }
  expect((await ops('rotate-keys', again)).code).toBe(0)
  expect(await openWith(newKey)()).toEqual(['secret 1', 'secret 2', 'secret 3'])
})

test('a secret that is changed during a rotation keeps its new value', async () => {
  await fill(300)
  const box = secretBox(`${newKey},${oldKey}`)
  const change = async () => {
    for (let n = 1; n <= 300; n += 7) {
      const text = secretBox(oldKey).seal(`changed ${n}`, placeOf(n))
      await sql`update safes set secret_sealed = ${text} where id = ${n}`.execute(db)
    }
  }
  await Promise.all([rotateKeys(db, box, sealed), change()])
  await rotateKeys(db, box, sealed)
  const secrets = await openWith(newKey)()
  expect(secrets).toHaveLength(300)
  expect(secrets.filter((text) => text.startsWith('changed'))).toHaveLength(43)
})
