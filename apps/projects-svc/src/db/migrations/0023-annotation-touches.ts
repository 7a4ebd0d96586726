import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Fields of a task and its jobs before a change of annotations, kept until the consumer of the event deletes the row.
 * It is vacuumed as early as the outbox, because rows are inserted and deleted at the same rate.
 */
const statements: readonly string[] = [
  `create table annotation_touches (
    event_id uuid primary key,
    task_id integer not null references tasks on delete cascade,
    organization_id integer,
    project_id integer,
    task_updated_date timestamptz(3) not null,
    is_draft boolean not null,
    jobs jsonb not null,
    created_date timestamptz(3) not null default now()
  ) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)`,
  'create index annotation_touches_task_id_idx on annotation_touches (task_id)',
]

export const annotationTouches: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
