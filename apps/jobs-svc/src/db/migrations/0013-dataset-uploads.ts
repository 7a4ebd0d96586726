import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Uploads to projects: datasets of which tasks are created. */
export const datasetUploads: MigrationStep = {
  up: async (db) => {
    await sql`alter table uploads
      drop constraint uploads_purpose_check, drop constraint uploads_target_check,
      add constraint uploads_purpose_check check (purpose in ('data', 'annotations', 'dataset')),
      add constraint uploads_target_check check (target in ('project', 'task', 'job'))`.execute(db)
  },
}
