import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Guides of projects and tasks, at most one each. */
const statement = `create table guides (
  id integer generated always as identity primary key,
  project_id integer references projects on delete cascade,
  task_id integer references tasks on delete cascade,
  markdown text not null default '',
  created_date timestamptz(3) not null default now(),
  updated_date timestamptz(3) not null default now(),
  constraint guides_owner_check check (num_nonnulls(project_id, task_id) = 1),
  constraint guides_project_id_key unique (project_id),
  constraint guides_task_id_key unique (task_id)
)`

export const guides: MigrationStep = {
  up: async (db) => {
    await sql.raw(statement).execute(db)
  },
}
