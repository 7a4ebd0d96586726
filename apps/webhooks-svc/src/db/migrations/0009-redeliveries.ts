import { indexStep, type MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Columns for redelivered messages, and for the old secret that still signs while a rotation overlaps. */
const statements = [
  // A redelivery points to the original message. It has the same bytes and sequence but a different event_id.
  'alter table webhook_messages add column if not exists redelivery_of bigint',
  'alter table webhooks add column if not exists old_secret_sealed text',
  'alter table webhooks add column if not exists old_secret_until_date timestamptz(3)',
]

/** Built concurrently, because the table already has rows and is in use. */
const index = indexStep(
  'webhook_messages_webhook_id_sequence_idx',
  sql`webhook_messages (webhook_id, sequence)`,
)

/** Every statement can run again: an index that is built concurrently cannot be part of a transaction. */
export const redeliveries: MigrationStep = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await index.up(db)
  },
}
