import { type Kysely, sql } from 'kysely'

/**
 * Creates the table of idempotency keys and their responses; it is a
 * migration step. Frozen once released, like every migration.
 */
export async function idempotencyKeysTable<T>(db: Kysely<T>, schema: string): Promise<void> {
  const table = sql.id(schema, 'idempotency_keys')
  await sql`
    create table ${table} (
      id uuid primary key,
      call_id uuid not null,
      claim_id uuid not null,
      leased_until_date timestamptz(3) not null,
      fingerprint text,
      answer bytea,
      created_date timestamptz(3) not null default clock_timestamp()
    )`.execute(db)
  await sql`
    create index idempotency_keys_created_date_idx on ${table} (created_date)`.execute(db)
}
