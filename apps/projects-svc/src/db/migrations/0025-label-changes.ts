import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Last label event of each project and task, which annotations-svc has to handle before annotations are read. Events
 * of one owner share a key, so they are handled in order. Old rows are deleted.
 */
const statements: readonly string[] = [
  `create table label_changes (
    event_id uuid primary key,
    project_id integer references projects on delete cascade,
    task_id integer references tasks on delete cascade,
    created_date timestamptz(3) not null default now(),
    constraint label_changes_owner_check check (num_nonnulls(project_id, task_id) = 1)
  )`,
  'create unique index label_changes_project_id_key on label_changes (project_id)',
  'create unique index label_changes_task_id_key on label_changes (task_id)',
]

export const labelChanges: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
