import { indexStep, type Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Messages that are sent once more, and the secret before the present one while both sign (`spec/extensions.md` 6). */
const statements = [
  // Of a redelivery the message whose bytes and number it has, with an event_id of its own.
  'alter table webhook_messages add column if not exists redelivery_of bigint',
  'alter table webhooks add column if not exists old_secret_sealed text',
  'alter table webhooks add column if not exists old_secret_until_date timestamptz(3)',
]

/** Of a table that has rows: made while it is read and written. */
const index = indexStep(
  'webhook_messages_webhook_id_sequence_idx',
  sql`webhook_messages (webhook_id, sequence)`,
)

/** Every statement bears being run again, since the index cannot be part of a transaction. */
export const redeliveries: Step = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await index.up(db)
  },
}
