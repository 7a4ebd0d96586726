import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Revisions of annotations, and what they replaced (`spec/extensions.md` 1). What a replacement took the place of stays where
 * it is, as a generation of before; what was changed or removed within a generation is in tables of its own.
 */
export const history: Step = {
  up: async (db) => {
    const tables = ['shapes', 'tags', 'tracks'].map(replaced)
    for (const statement of [...revisions, ...tables]) await sql.raw(statement).execute(db)
  },
}

const revisions = [
  // created_ids: of what came into the job beside what was there. has_before: what it replaced is still stored.
  `create table revisions (
    id bigint generated always as identity,
    task_id integer not null,
    job_id integer not null,
    revision bigint not null,
    generation bigint not null,
    replaced_generation bigint,
    labels_revision integer not null,
    created_ids int8multirange,
    created_date timestamptz(3) not null,
    author_id integer,
    action text not null,
    created integer not null,
    updated integer not null,
    deleted integer not null,
    request_id text,
    rq_id text,
    has_before boolean not null,
    is_readable boolean not null default true,
    primary key (task_id, job_id, revision)
  )`,
  // People as they are called: one row is renamed, however much they did.
  `create table authors (
    id integer primary key,
    username text not null,
    first_name text not null,
    last_name text not null
  )`,
  'create index revisions_created_date_idx on revisions (created_date) where is_readable',
  'create index revisions_before_idx on revisions (task_id, job_id, revision) where has_before',
]

const replaced = (table: string) =>
  `create table replaced_${table} (like ${table} including compression, revision bigint not null,
    primary key (task_id, job_id, generation, id, revision))`
