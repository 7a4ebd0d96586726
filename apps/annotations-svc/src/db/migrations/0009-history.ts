import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Revisions of annotations, and the rows that they replaced. Rows of a replaced set stay in place as an older
 * generation; rows changed or deleted within a generation are copied to separate tables.
 */
export const history: MigrationStep = {
  up: async (db) => {
    const tables = ['shapes', 'tags', 'tracks'].map(replaced)
    for (const statement of [...revisions, ...tables]) await sql.raw(statement).execute(db)
  },
}

const revisions = [
  // created_ids: ids that the revision added to the existing objects. has_before: whether the replaced rows are still
  // stored.
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
  // Names of users are stored once, so that a rename changes one row.
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
