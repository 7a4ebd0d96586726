import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Whether an administrator connected the storage: only then its bucket may be in an administrator network. Existing
 * storages of administrators are marked here; another one is marked when an administrator sends its address again.
 */
const statements: readonly string[] = [
  'alter table cloud_storages add column is_inside_allowed boolean not null default false',
  `update cloud_storages set is_inside_allowed = true
    from users where users.id = cloud_storages.owner_id and users.role = 'admin'`,
]

export const storageInside: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
