import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Where the media of a task is (`spec/api-workspace.md` 4.7): in the object store, on the file share or in a bucket. */
export const mediaStorage: Step = {
  up: async (db) => {
    await sql`alter table data_sets add column storage text not null default 'local'
      constraint data_sets_storage_check check (storage in ('local', 'share', 'cloud_storage'))`.execute(
      db,
    )
  },
}
