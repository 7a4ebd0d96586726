import { indexStep, type Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

const statements = [
  // What an import or a restore is making: a project or tasks, which are nobody's until all of it is there. "owner_id" and
  // "organization_id" say whose it will be, for no longer than both last. Where its tasks come into a project that there is, "labels"
  // are the records that the project's labels become then, in the state "labels_revision"; they were made of the state "based_on".
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

  // Not valid at first: the rows that exist are looked at without a lock that stops writing.
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

/** Every statement bears being run again, since an index cannot be part of a transaction. */
export const drafts: Step = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    for (const index of indexes) await index.up(db)
  },
}
