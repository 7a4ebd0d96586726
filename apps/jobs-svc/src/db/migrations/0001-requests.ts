import type { MigrationStep } from '@reticle/kit/db/migrate'
import { outboxTables } from '@reticle/kit/outbox/tables'
import { sql } from 'kysely'

/** Requests, uploads, and the registry of objects in the blob store. */
export const requests: MigrationStep = {
  up: async (db) => {
    await outboxTables(db, 'requests')
    for (const statement of statements) await statement.execute(db)
  },
}

const statements = [
  sql`create sequence lease_tokens`,

  // One row per rq_id: posting again replaces an ended request. `lease_token` fences every write of a worker.
  sql`create table requests (
    request_uuid uuid primary key,
    rq_id text not null constraint requests_rq_id_key unique,
    action text not null constraint requests_action_check check (action in ('export', 'import', 'create')),
    target text not null constraint requests_target_check check (target in ('project', 'task', 'job')),
    target_id integer not null,
    subresource text constraint requests_subresource_check check (subresource in ('annotations', 'dataset')),
    format text,
    params jsonb not null,
    project_id integer,
    task_id integer,
    job_id integer,
    org_id integer,
    owner_id integer not null,
    principal jsonb not null,
    tenant text not null,
    priority smallint not null default 0,
    size_class text not null default 'small'
      constraint requests_size_class_check check (size_class in ('small', 'large')),
    status text not null
      constraint requests_status_check check (status in ('queued', 'started', 'finished', 'failed')),
    attempt smallint not null default 0,
    max_attempts smallint not null default 3,
    lease_owner text,
    lease_token bigint not null default 0,
    lease_until timestamptz,
    not_before_date timestamptz(3),
    is_applying boolean not null default false,
    has_applied boolean not null default false,
    progress real not null default 0,
    stage text not null default '',
    message text not null default '',
    report jsonb,
    cache_key text,
    input_key text,
    result_key text,
    result_size bigint,
    result_id integer,
    created_date timestamptz(3) not null default now(),
    started_date timestamptz(3),
    finished_date timestamptz(3),
    expiry_date timestamptz(3)
  ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)`,
  sql`create index requests_tenant_created_date_idx on requests (tenant, priority desc, created_date)
    where status = 'queued'`,
  sql`create index requests_tenant_idx on requests (tenant) where status = 'started'`,
  sql`create index requests_owner_id_created_date_idx on requests (owner_id, created_date desc)`,
  sql`create index requests_cache_key_idx on requests (cache_key) where cache_key is not null`,
  sql`create index requests_task_id_idx on requests (task_id)`,
  sql`create index requests_project_id_idx on requests (project_id)`,
  sql`create index requests_expiry_date_idx on requests (expiry_date) where expiry_date is not null`,
  sql`create index requests_result_key_idx on requests (result_key) where result_key is not null`,

  sql`create table tenant_turns (
    tenant text primary key,
    last_claimed_date timestamptz
  )`,

  // A key that ends in "/" represents every object below it.
  sql`create table blobs (
    key text primary key,
    state text not null constraint blobs_state_check check (state in ('pending', 'live', 'dead')),
    kind text not null constraint blobs_kind_check check (kind in ('upload', 'media', 'frames', 'result')),
    size bigint,
    organization_id integer,
    task_id integer,
    created_date timestamptz(3) not null default now(),
    dead_date timestamptz(3)
  )`,
  sql`create index blobs_task_id_idx on blobs (task_id)`,
  sql`create index blobs_pending_idx on blobs (created_date) where state = 'pending'`,
  sql`create index blobs_dead_idx on blobs (dead_date) where state = 'dead'`,

  sql`create table uploads (
    upload_id uuid primary key,
    prefix text not null constraint uploads_prefix_fkey references blobs (key) on delete cascade,
    purpose text not null constraint uploads_purpose_check check (purpose in ('data', 'annotations')),
    target text not null constraint uploads_target_check check (target in ('task', 'job')),
    target_id integer not null,
    owner_id integer not null,
    created_date timestamptz(3) not null default now()
  )`,
  sql`create index uploads_prefix_idx on uploads (prefix)`,
]
