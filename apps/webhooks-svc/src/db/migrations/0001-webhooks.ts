import { outboxTables } from '@reticle/kit/outbox/tables'
import { type Kysely, sql } from 'kysely'

/** Tables of webhooks, their messages, and the deliveries (attempts) of each message. */
const statements = [
  // Copies of the project columns that this service needs, kept up to date by events. The row is also the lock for
  // all webhooks of its project.
  `create table projects (
    id integer primary key,
    owner_id integer,
    organization_id integer,
    is_deleted boolean not null default false
  )`,
  'create index projects_owner_id_idx on projects (owner_id)',

  // A webhook with an ended_date is hidden from every user because its project was deleted, but its pending messages
  // are still delivered.
  `create table webhooks (
    id integer generated always as identity primary key,
    type text not null
      constraint webhooks_type_check check (type in ('organization', 'project')),
    project_id integer references projects,
    owner_id integer not null,
    owner_username text not null,
    owner_first_name text not null,
    owner_last_name text not null,
    target_url text not null,
    description text not null,
    events text[] not null,
    secret_sealed text,
    is_active boolean not null,
    enable_ssl boolean not null,
    last_sequence bigint not null default 0,
    failure_streak integer not null default 0,
    created_date timestamptz(3) not null,
    updated_date timestamptz(3) not null,
    ended_date timestamptz(3),
    constraint webhooks_type_project_id_check check ((type = 'project') = (project_id is not null))
  )`,
  'create index webhooks_project_id_idx on webhooks (project_id)',
  'create index webhooks_owner_id_idx on webhooks (owner_id)',

  // The sequence has no gaps within a webhook. The body holds the exact bytes that are sent and signed.
  `create table webhook_messages (
    id bigint generated always as identity primary key,
    webhook_id integer not null references webhooks on delete cascade,
    sequence bigint not null,
    event_id uuid not null,
    delivery_id uuid not null,
    event text not null,
    key text not null,
    changed_fields text not null,
    body bytea not null,
    status text not null default 'pending'
      constraint webhook_messages_status_check
      check (status in ('pending', 'waiting', 'delivered', 'failed', 'dropped')),
    attempt integer not null default 0,
    next_attempt_date timestamptz(3) not null,
    lease_until timestamptz(3),
    lease_token uuid,
    created_date timestamptz(3) not null,
    constraint webhook_messages_webhook_id_event_id_key unique (webhook_id, event_id)
  ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)`,
  `create index webhook_messages_webhook_id_next_attempt_date_idx
    on webhook_messages (webhook_id, next_attempt_date, id) where status in ('pending', 'waiting')`,
  `create index webhook_messages_webhook_id_key_sequence_idx
    on webhook_messages (webhook_id, key, sequence) where status = 'pending'`,
  'create index webhook_messages_webhook_id_id_idx on webhook_messages (webhook_id, id)',
  'create index webhook_messages_created_date_idx on webhook_messages (created_date)',

  // One row per attempt; the bytes that were sent are in the body of the message.
  `create table webhook_deliveries (
    id bigint generated always as identity primary key,
    webhook_id integer not null references webhooks on delete cascade,
    message_id bigint not null references webhook_messages on delete cascade,
    status_code integer not null,
    redelivery boolean not null default false,
    attempt integer not null,
    request_duration integer not null,
    response text not null,
    created_date timestamptz(3) not null,
    updated_date timestamptz(3) not null
  )`,
  `create index webhook_deliveries_webhook_id_updated_date_idx
    on webhook_deliveries (webhook_id, updated_date, id)`,
  'create index webhook_deliveries_message_id_idx on webhook_deliveries (message_id)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await outboxTables(db, 'webhooks')
  for (const statement of statements) await sql.raw(statement).execute(db)
}
