import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Chapters of a video for the whole task, in the form of the REST field; without a row it has none, or was prepared
 * by an older release. They can take 2 MiB, and `data_sets` is read for every chunk, so they have their own table.
 */
const table = `create table video_chapters (
  task_id integer primary key references data_sets on delete cascade,
  chapters jsonb not null
)`

export const videoChapters: MigrationStep = {
  up: async (db) => {
    await sql.raw(table).execute(db)
  },
}
