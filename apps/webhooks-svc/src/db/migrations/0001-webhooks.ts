import { outboxTables } from '@reticle/kit/outbox/tables'
import { type Kysely, sql } from 'kysely'

/** Webhooks, the messages they are owed and every attempt to deliver one: `reliability.md` 7.1. */
const statements = [
  // What has to be known of projects, from their events; the row is the lock for all webhooks of a project.
  `create table projects (
    id integer primary key,
    owner_id integer,
    organization_id integer,
    is_deleted boolean not null default false
  )`,
  'create index projects_owner_id_idx on projects (owner_id)',

  // With an ended_date it is gone for everybody (its project was deleted), but still delivers what it owes.
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

  // The sequence has no gaps in a webhook; the body is what is sent and signed, byte by byte.
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

  // One row an attempt; what was sent is the body of its message.
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
