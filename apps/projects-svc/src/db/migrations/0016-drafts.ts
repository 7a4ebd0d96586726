import { indexStep, type Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

const statements = [
  // What an import into a project is making: its tasks are nobody's until all of it is there. "labels" are the records that the
  // project's labels become then, in the state "labels_revision"; they were made of the state "based_on".
  `create table if not exists drafts (
    draft_id text primary key,
    project_id integer constraint drafts_project_id_fkey references projects on delete set null,
    labels jsonb not null,
    labels_revision integer not null,
    based_on integer not null,
    created_date timestamptz(3) not null default now()
  )`,
  'create index if not exists drafts_project_id_idx on drafts (project_id)',
  'alter table tasks add column if not exists draft_id text',

  // Not valid at first: the rows that exist are looked at without a lock that stops writing.
  `alter table tasks
    drop constraint if exists tasks_draft_id_fkey,
    add constraint tasks_draft_id_fkey foreign key (draft_id) references drafts not valid`,
  'alter table tasks validate constraint tasks_draft_id_fkey',
]

const index = indexStep('tasks_draft_id_idx', sql`tasks (draft_id) where draft_id is not null`)

/** Every statement bears being run again, since the index cannot be part of a transaction. */
export const drafts: Step = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await index.up(db)
  },
}
