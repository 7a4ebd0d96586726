import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * A replacement of a job is written under a new generation beside the existing rows
 * (`docs/adr/0026-write-each-replacement-as-a-new-generation.md`). Changes the keys in place, because no release
 * had the old ones.
 */
export const generations: Step = {
  up: async (db) => {
    for (const statement of [...columns, ...Object.entries(keys).flatMap(rekeyed)]) {
      await sql.raw(statement).execute(db)
    }
  },
}

const keys = {
  shapes: 'task_id, job_id, generation, frame, id',
  tags: 'task_id, job_id, generation, frame, id',
  tracks: 'task_id, job_id, generation, id',
}

const columns = ['jobs', ...Object.keys(keys)].map(
  (table) => `alter table ${table} add column generation bigint not null default 0`,
)

function rekeyed([table, key]: [string, string]): string[] {
  return [
    `alter table ${table} drop constraint ${table}_pkey, add primary key (${key})`,
    `drop index ${table}_task_id_id_key`,
    `create unique index ${table}_task_id_id_key on ${table} (task_id, id, generation, job_id)`,
  ]
}
