import { indexStep, type MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

const statements = [
  // Project or tasks that an import or a restore is creating; no user sees them before they are complete. "owner_id"
  // and "organization_id" are their future owners, as long as both exist. For tasks of an existing project, "labels"
  // are the future labels of the project in the revision "labels_revision", planned from the revision "based_on".
  `create table if not exists drafts (
    draft_id text primary key,
    target text not null constraint drafts_target_check check (target in ('project', 'task')),
    owner_id integer not null,
    organization_id integer,
    project_id integer constraint drafts_project_id_fkey references projects on delete set null,
    labels jsonb,
    labels_revision integer,
    based_on integer,
    created_date timestamptz(3) not null default now()
  )`,
  'create index if not exists drafts_project_id_idx on drafts (project_id)',

  // Added as not valid first: the existing rows are then checked without a lock that blocks writes.
  ...['tasks', 'projects'].flatMap((table) => [
    `alter table ${table} add column if not exists draft_id text`,
    `alter table ${table}
      drop constraint if exists ${table}_draft_id_fkey,
      add constraint ${table}_draft_id_fkey foreign key (draft_id) references drafts not valid`,
    `alter table ${table} validate constraint ${table}_draft_id_fkey`,
  ]),
]

const indexes = [
  indexStep('tasks_draft_id_idx', sql`tasks (draft_id) where draft_id is not null`),
  indexStep('projects_draft_id_idx', sql`projects (draft_id) where draft_id is not null`),
]

/** Every statement can be repeated, because an index cannot be built in a transaction. */
export const drafts: MigrationStep = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    for (const index of indexes) await index.up(db)
  },
}
