import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { keyDeadEvents, outboxTables } from '../outbox/tables.ts'
import { testDb } from '../testing/db.ts'
import { readFromDatabase, watchOutbox } from './database.ts'
import { metricsText } from './metrics.ts'
import { readGauge } from './registry.ts'

const schema = 'watched'
const up = async (db: Kysely<unknown>) => {
  await outboxTables(db, schema)
  await keyDeadEvents(db, schema)
}
const db = await testDb<unknown>({ '0001-outbox': { up } }, schema)

async function valueOfMetric(name: string): Promise<number | undefined> {
  const line = new RegExp(`^${name} (.+)$`, 'm').exec(await metricsText())
  return line ? Number(line[1]) : undefined
}
const own = (name: string) => valueOfMetric(`${name}\\{schema="${schema}"\\}`)

/** Reads with a new watch, because a watch keeps its readings for 5 s. */
async function looking(expected: () => Promise<void>): Promise<void> {
  const forget = watchOutbox(db, schema)
  await expected()
  forget()
}

test('an outbox reports its size, the age of its oldest event and the number of dead events', async () => {
  await looking(async () => {
    expect(await own('reticle_outbox_rows')).toBe(0)
    expect(await own('reticle_outbox_oldest_seconds')).toBe(0)
    expect(await own('reticle_dead_events')).toBe(0)
  })
  await sql`
    insert into outbox (event_id, topic, key, type, version, headers, data, created_date)
    select gen_random_uuid(), 't', 'k', 'a.b', 1, '{}', '{}', now() - n * interval '20 seconds'
    from unnest(array[2, 1]) n`.execute(db)
  await sql`
    insert into dead_events (consumer, event_id, topic, partition, "offset", key, headers, value, error, replayed_date)
    select 'c', gen_random_uuid(), 't', 0, n, 'k', '{}', '{}', 'e', case n when 1 then now() end
    from generate_series(1, 3) n`.execute(db)
  await looking(async () => {
    expect(await own('reticle_outbox_rows')).toBe(2)
    expect(await own('reticle_outbox_oldest_seconds')).toBeGreaterThanOrEqual(40)
    expect(await own('reticle_outbox_oldest_seconds')).toBeLessThan(60)
    expect(await own('reticle_dead_events')).toBe(2)
  })
})

test('a statement that takes longer than a second is cancelled', async () => {
  const slow = readGauge({ name: 'test_slow', help: 'never said' })
  const forget = readFromDatabase(db, async (tx) => {
    await sql`select pg_sleep(30)`.execute(tx)
    return [{ gauge: slow, value: 1 }]
  })
  const started = performance.now()
  expect(await valueOfMetric('test_slow')).toBeUndefined()
  expect(performance.now() - started).toBeLessThan(2000)
  forget()
})
