import { indexStep, type Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Webhooks of organizations, and what has to be known of these, from their events. */
const statements = [
  // The row is the lock for all webhooks of an organization. It stays when the organization goes: the log names it.
  `create table if not exists organizations (
    id integer primary key,
    slug text,
    is_deleted boolean not null default false
  )`,
  `alter table webhooks add column if not exists organization_id integer
    constraint webhooks_organization_id_fkey references organizations
    constraint webhooks_type_organization_id_check
      check ((type = 'organization') = (organization_id is not null))`,
]

/** Of a table that has rows: made while it is read and written. */
const index = indexStep('webhooks_organization_id_idx', sql`webhooks (organization_id)`)

/** Every statement bears being run again, since the index cannot be part of a transaction. */
export const organizations: Step = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await index.up(db)
  },
}
