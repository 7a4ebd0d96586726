import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Frames that were deleted from a task, ascending; nothing else of them changes (`spec/api-workspace.md` 4.7). */
export const deletedFrames: Step = {
  up: async (db) => {
    await sql`alter table data_sets add column deleted_frames integer[] not null default '{}'`.execute(
      db,
    )
  },
}
