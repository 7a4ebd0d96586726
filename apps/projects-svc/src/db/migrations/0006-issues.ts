import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Review issues and their comments. They are deleted with their job. */
const statements: readonly string[] = [
  `create table issues (
    id integer generated always as identity primary key,
    job_id integer not null references jobs on delete cascade,
    frame integer not null,
    position double precision[] not null,
    owner_id integer references users on delete set null,
    assignee_id integer references users on delete set null,
    resolved boolean not null default false,
    created_date timestamptz(3) not null default now(),
    updated_date timestamptz(3) not null default now()
  )`,
  'create index issues_job_id_idx on issues (job_id, id)',
  'create index issues_owner_id_idx on issues (owner_id)',
  'create index issues_assignee_id_idx on issues (assignee_id)',

  `create table comments (
    id integer generated always as identity primary key,
    issue_id integer not null references issues on delete cascade,
    owner_id integer references users on delete set null,
    message text not null,
    created_date timestamptz(3) not null default now(),
    updated_date timestamptz(3) not null default now()
  )`,
  'create index comments_issue_id_idx on comments (issue_id, id)',
  'create index comments_owner_id_idx on comments (owner_id)',
]

export const issues: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
