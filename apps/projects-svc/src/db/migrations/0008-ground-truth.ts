import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Ground-truth jobs, which have a list of frames, and consensus replicas. */
const statements: readonly string[] = [
  `alter table tasks
    add column consensus_replicas integer not null default 0,
    add column validation_mode text
      constraint tasks_validation_mode_check check (validation_mode in ('gt', 'gt_pool'))`,
  // Null: every frame from the first to the last.
  'alter table jobs add column frame_count integer',
  `create table validation_frames (
    job_id integer not null references jobs on delete cascade,
    frame integer not null,
    is_disabled boolean not null default false,
    primary key (job_id, frame)
  )`,
]

export const groundTruth: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
