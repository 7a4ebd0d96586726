import { type Generated, type Kysely, sql } from 'kysely'

/** Rows of the tables below, for tests of this package. A service has generated types (`db/schema.ts`). */
export interface OutboxTables {
  outbox: {
    id: Generated<number>
    event_id: string
    topic: string
    key: string
    type: string
    version: number
    headers: unknown
    data: unknown
    created_date: Generated<Date>
  }
  inbox: { consumer: string; event_id: string; received_date: Generated<Date> }
  dead_events: {
    consumer: string
    event_id: string
    topic: string
    partition: number
    offset: number
    key: string
    headers: unknown
    value: unknown
    error: string
    failed_date: Generated<Date>
    replayed_date: Date | null
  }
  applied_calls: { call_id: string; response: Uint8Array | null; created_date: Generated<Date> }
  outbox_sent: {
    id: number
    event_id: string
    topic: string
    key: string
    type: string
    version: number
    headers: unknown
    data: unknown
    created_date: Date
    sent_date: Generated<Date>
  }
}

/**
 * Creates the four tables for events and repeated calls, in the first migration of a service. Frozen once released,
 * like every migration: a change is a separate step beside this one.
 */
export async function outboxTables<T>(db: Kysely<T>, schema: string): Promise<void> {
  const table = (name: string) => sql.id(schema, name)
  // The table is emptied as fast as it is filled, so it has no index but the key and is vacuumed early.
  await sql`
    create table ${table('outbox')} (
      id bigint generated always as identity primary key,
      event_id uuid not null,
      topic text not null,
      key text not null,
      type text not null,
      version smallint not null,
      headers jsonb not null,
      data jsonb not null,
      created_date timestamptz(3) not null default clock_timestamp()
    ) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)
  `.execute(db)
  await sql`
    create table ${table('inbox')} (
      consumer text not null,
      event_id uuid not null,
      received_date timestamptz(3) not null default now(),
      primary key (consumer, event_id)
    )`.execute(db)
  await sql`create index inbox_received_date_idx on ${table('inbox')} (received_date)`.execute(db)
  await sql`
    create table ${table('dead_events')} (
      consumer text not null,
      event_id uuid not null,
      topic text not null,
      partition integer not null,
      "offset" bigint not null,
      key text not null,
      headers jsonb not null,
      value jsonb not null,
      error text not null,
      failed_date timestamptz(3) not null default now(),
      replayed_date timestamptz(3),
      primary key (consumer, topic, partition, "offset")
    )`.execute(db)
  await sql`
    create table ${table('applied_calls')} (
      call_id text primary key,
      response bytea,
      created_date timestamptz(3) not null default now()
    )`.execute(db)
  await sql`
    create index applied_calls_created_date_idx on ${table('applied_calls')} (created_date)`.execute(
    db,
  )
}

/**
 * Creates the table of events published to a broker, kept for two days in case the broker is lost; it is a separate
 * migration step. `deleteExpiredRows` deletes old rows. Daily partitions would need the privilege to change tables, which the
 * role of a running service lacks.
 */
export async function outboxSentTable<T>(db: Kysely<T>, schema: string): Promise<void> {
  const table = sql.id(schema, 'outbox_sent')
  await sql`
    create table ${table} (
      id bigint primary key,
      event_id uuid not null,
      topic text not null,
      key text not null,
      type text not null,
      version smallint not null,
      headers jsonb not null,
      data jsonb not null,
      created_date timestamptz(3) not null,
      sent_date timestamptz(3) not null default now()
    ) with (autovacuum_vacuum_scale_factor = 0.05)`.execute(db)
  await sql`create index outbox_sent_sent_date_idx on ${table} (sent_date)`.execute(db)
}

/**
 * Makes the event id the key of dead events. Offsets restart when a topic was lost, and a second dead event could
 * otherwise be taken for the first. Part of the same step as `outboxSentTable`.
 */
export async function keyDeadEvents<T>(db: Kysely<T>, schema: string): Promise<void> {
  const table = sql.id(schema, 'dead_events')
  await sql`
    delete from ${table} a using ${table} b
    where a.consumer = b.consumer and a.event_id = b.event_id and a.ctid < b.ctid`.execute(db)
  await sql`
    alter table ${table} drop constraint dead_events_pkey,
      add constraint dead_events_pkey primary key (consumer, event_id)`.execute(db)
}
