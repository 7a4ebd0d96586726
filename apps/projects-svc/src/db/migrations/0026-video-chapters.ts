import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Chapters of a video, as the REST field lists them for the whole task; no row: it has none, or was prepared before this step.
 * A table of its own: they may take 2 MiB, and `data_sets` is read for every chunk.
 */
const table = `create table video_chapters (
  task_id integer primary key references data_sets on delete cascade,
  chapters jsonb not null
)`

export const videoChapters: Step = {
  up: async (db) => {
    await sql.raw(table).execute(db)
  },
}
