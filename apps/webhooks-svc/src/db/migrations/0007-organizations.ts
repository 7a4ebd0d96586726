import { indexStep, type MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Webhooks of organizations, and copies of the organization columns that this service needs, kept up to date by
 * events.
 */
const statements = [
  // The row is the lock for all webhooks of an organization. It stays after the organization is deleted, because the
  // event log refers to its slug.
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

/** Built concurrently, because the table already has rows and is in use. */
const index = indexStep('webhooks_organization_id_idx', sql`webhooks (organization_id)`)

/** Every statement can run again: an index that is built concurrently cannot be part of a transaction. */
export const organizations: MigrationStep = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await index.up(db)
  },
}
