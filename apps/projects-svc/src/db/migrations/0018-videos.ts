import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Frames of a video (`spec/api-workspace.md` 4.5); `video_name`: the file that they are all of, null for images. */
export const videos: Step = {
  up: async (db) => {
    for (const statement of statements) await statement.execute(db)
  },
}

const statements = [
  sql`alter table data_sets add column video_name text`,
  sql`alter table frames drop constraint frames_packing_check`,
  // Not looked for among the rows that are there: the old list was shorter.
  sql`alter table frames add constraint frames_packing_check
    check (packing in ('stored', 'deflated', 'video')) not valid`,
]
