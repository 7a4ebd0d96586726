import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Requests for backups of projects and tasks. */
export const backups: MigrationStep = {
  up: async (db) => {
    await sql`alter table requests drop constraint requests_subresource_check`.execute(db)
    await sql`alter table requests add constraint requests_subresource_check
      check (subresource in ('annotations', 'dataset', 'backup'))`.execute(db)
    await sql`alter table uploads drop constraint uploads_purpose_check`.execute(db)
    await sql`alter table uploads add constraint uploads_purpose_check
      check (purpose in ('data', 'annotations', 'dataset', 'backup'))`.execute(db)
  },
}
