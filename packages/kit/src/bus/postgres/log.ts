import { topics } from '@reticle/contracts/events/define'
import { type Kysely, sql } from 'kysely'
import type { Migrations } from '../../db/migrate.ts'
import type { Outbox } from '../../outbox/relay.ts'

/**
 * Tables of the embedded bus in a separate schema: `bus_heads` counts offsets,
 * `bus_messages` stores the events, `bus_offsets` the position of each group. In a row
 * without an owner, `lease_until` is the time when the group was last active.
 */
export const busMigrations: Migrations = {
  '0001-log': {
    up: async (db: Kysely<unknown>) => {
      await sql`
        create table bus_heads (
          topic text not null,
          partition integer not null,
          next bigint not null default 0,
          primary key (topic, partition)
        ) with (fillfactor = 50)`.execute(db)
      await sql`
        create table bus_messages (
          topic text not null,
          partition integer not null,
          "offset" bigint not null,
          event_id uuid not null,
          key text not null,
          headers jsonb not null,
          value jsonb not null,
          created_date timestamptz(3) not null default clock_timestamp(),
          primary key (topic, partition, "offset")
        )`.execute(db)
      await sql`
        create table bus_offsets (
          "group" text not null,
          topic text not null,
          partition integer not null,
          next bigint not null default 0,
          owner text,
          lease_until timestamptz not null default now(),
          primary key ("group", topic, partition)
        ) with (fillfactor = 50)`.execute(db)
      for (const [topic, partitions] of Object.entries(topics)) {
        await sql`
          insert into bus_heads (topic, partition)
          select ${topic}, n from generate_series(0, ${partitions - 1}::int) n`.execute(db)
      }
    },
  },
}

/** Channel that is notified once per batch and type of event with `TOPIC TYPE`. */
export const channel = 'bus'

/**
 * Moves a batch from an outbox to the log in one statement, so that both happen or neither, and offsets have no gaps.
 * Concurrent relays wait for each other on the rows and heads they need, which all of them lock in the same order.
 */
export async function appendBatch({ schema, session }: Outbox, limit: number): Promise<number> {
  const outbox = sql.id(schema, 'outbox')
  const { rows } = await sql<{ moved: number }>`
    with taken as (
      delete from ${outbox}
      where id in (select id from ${outbox} order by id limit ${limit} for update)
      returning *
    ), sizes as (
      select topic, count(*)::int as partitions from bus.bus_heads group by topic
    ), placed as (
      select taken.*, (hashtext(key) & 2147483647) % partitions as partition
      from taken left join sizes using (topic)
    ), counts as (
      select topic, partition, count(*) as n from placed group by topic, partition
    ), heads as materialized (
      select h.topic, h.partition, h.next, n
      from bus.bus_heads h join counts using (topic, partition)
      order by h.topic, h.partition for update of h
    ), advanced as (
      update bus.bus_heads h set next = heads.next + n from heads
      where h.topic = heads.topic and h.partition = heads.partition
      returning h.topic
    ), appended as (
      insert into bus.bus_messages (topic, partition, "offset", event_id, key, headers, value)
      select topic, partition,
        heads.next + row_number() over (partition by topic, partition order by id) - 1,
        event_id, key, headers, data
      from placed left join heads using (topic, partition)
      returning topic
    ), notified as (
      select pg_notify(${channel}, topic || ' ' || type) from (select distinct topic, type from placed) t
    )
    select (select count(*) from appended) as moved,
      (select count(*) from advanced) as advanced, (select count(*) from notified) as notified`.execute(
    session,
  )
  return rows[0]?.moved ?? 0
}

const keepDays = 7

export interface Retained {
  messages: number
  /** Groups without a reader for as long as messages are kept. */
  dropped_groups: string[]
}

/**
 * Deletes messages older than seven days, except those that a living group has not read. Groups that were inactive for
 * as long are dropped first. Only one process does this at a time; a concurrent call does nothing.
 */
export async function retainMessages(db: Kysely<unknown>, now: Date): Promise<Retained> {
  const limit = new Date(now.getTime() - keepDays * 86_400_000)
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ alone: boolean }>`
      select pg_try_advisory_xact_lock(hashtext('bus.retention')) as alone`.execute(tx)
    if (!rows[0]?.alone) return { messages: 0, dropped_groups: [] }
    const dropped = await sql<{ group: string }>`
      delete from bus.bus_offsets where "group" in (
        select "group" from bus.bus_offsets group by "group" having max(lease_until) < ${limit}
      ) returning "group"`.execute(tx)
    const messages = await sql`
      delete from bus.bus_messages m using bus.bus_heads h
      where m.topic = h.topic and m.partition = h.partition and m."offset" < least(
        (select min(o.next) from bus.bus_offsets o where o.topic = h.topic and o.partition = h.partition),
        coalesce((
          select young."offset" from bus.bus_messages young
          where young.topic = h.topic and young.partition = h.partition and young.created_date >= ${limit}
          order by young."offset" limit 1
        ), h.next)
      )`.execute(tx)
    const groups = [...new Set(dropped.rows.map(({ group }) => group))]
    return { messages: Number(messages.numAffectedRows ?? 0n), dropped_groups: groups }
  })
}
