import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Table of the event log. Rows are inserted and later deleted by age, never changed. Rows of one event share its id
 * and have consecutive ordinals. The primary key gives the order of exports and drops repeated events.
 */
export const events: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await statement.execute(db)
  },
}

const statements = [
  sql`create table events (
    event_id uuid not null,
    ordinal integer not null,
    scope text not null,
    obj_name text,
    obj_id integer,
    obj_val text,
    source text not null constraint events_source_check check (source in ('client', 'server')),
    "timestamp" timestamptz(3) not null,
    count integer,
    duration integer not null,
    project_id integer,
    task_id integer,
    job_id integer,
    user_id integer,
    user_name text,
    user_email text,
    org_id integer,
    org_slug text,
    payload text,
    access_token_id integer,
    address text,
    constraint events_pkey primary key ("timestamp", event_id, ordinal)
  ) with (autovacuum_vacuum_insert_scale_factor = 0.05)`,
  sql`create index events_user_id_timestamp_idx on events (user_id, "timestamp")`,
  sql`create index events_org_id_timestamp_idx on events (org_id, "timestamp")
    where org_id is not null`,
  sql`create index events_project_id_timestamp_idx on events (project_id, "timestamp")
    where project_id is not null`,
  sql`create index events_task_id_timestamp_idx on events (task_id, "timestamp")
    where task_id is not null`,
  sql`create index events_job_id_timestamp_idx on events (job_id, "timestamp")
    where job_id is not null`,
]
