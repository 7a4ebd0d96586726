// Written by `npm run codegen` from the migrated database. Do not edit.
import type { ColumnType, Generated, Selectable } from 'kysely'

type Timestamp = ColumnType<Date, Date | string, Date | string>

export interface AppliedCallsTable {
  call_id: string
  response: Buffer | null
  created_date: Generated<Date>
}

export interface DeadEventsTable {
  consumer: string
  event_id: string
  topic: string
  partition: number
  offset: number
  key: string
  headers: unknown
  value: unknown
  error: string
  failed_date: Generated<Date>
  replayed_date: Timestamp | null
}

export interface EventsTable {
  event_id: string
  ordinal: number
  scope: string
  obj_name: string | null
  obj_id: number | null
  obj_val: string | null
  source: 'client' | 'server'
  timestamp: Timestamp
  count: number | null
  duration: number
  project_id: number | null
  task_id: number | null
  job_id: number | null
  user_id: number | null
  user_name: string | null
  user_email: string | null
  org_id: number | null
  org_slug: string | null
  payload: string | null
  access_token_id: number | null
  address: string | null
}

export interface IdempotencyKeysTable {
  id: string
  call_id: string
  claim_id: string
  leased_until_date: Timestamp
  fingerprint: string | null
  answer: Buffer | null
  created_date: Generated<Date>
}

export interface InboxTable {
  consumer: string
  event_id: string
  received_date: Generated<Date>
}

export interface OrganizationsTable {
  id: number
  slug: string | null
  is_deleted: Generated<boolean>
}

export interface OutboxTable {
  id: Generated<number>
  event_id: string
  topic: string
  key: string
  type: string
  version: number
  headers: unknown
  data: unknown
  created_date: Generated<Date>
}

export interface OutboxSentTable {
  id: number
  event_id: string
  topic: string
  key: string
  type: string
  version: number
  headers: unknown
  data: unknown
  created_date: Timestamp
  sent_date: Generated<Date>
}

export interface ProjectsTable {
  id: number
  owner_id: number | null
  organization_id: number | null
  is_deleted: Generated<boolean>
}

export interface WebhookDeliveriesTable {
  id: Generated<number>
  webhook_id: number
  message_id: number
  status_code: number
  redelivery: Generated<boolean>
  attempt: number
  request_duration: number
  response: string
  created_date: Timestamp
  updated_date: Timestamp
}

export interface WebhookMessagesTable {
  id: Generated<number>
  webhook_id: number
  sequence: number
  event_id: string
  delivery_id: string
  event: string
  key: string
  changed_fields: string
  body: Buffer
  status: Generated<'pending' | 'waiting' | 'delivered' | 'failed' | 'dropped'>
  attempt: Generated<number>
  next_attempt_date: Timestamp
  lease_until: Timestamp | null
  lease_token: string | null
  created_date: Timestamp
  occurred_date: Timestamp | null
  traceparent: string | null
  redelivery_of: number | null
}

export interface WebhooksTable {
  id: Generated<number>
  type: 'organization' | 'project'
  project_id: number | null
  owner_id: number
  owner_username: string
  owner_first_name: string
  owner_last_name: string
  target_url: string
  description: string
  events: string[]
  secret_sealed: string | null
  is_active: boolean
  enable_ssl: boolean
  last_sequence: Generated<number>
  failure_streak: Generated<number>
  created_date: Timestamp
  updated_date: Timestamp
  ended_date: Timestamp | null
  organization_id: number | null
  old_secret_sealed: string | null
  old_secret_until_date: Timestamp | null
  failing_since_date: Timestamp | null
  disabled_reason: string | null
  owner_left_date: Timestamp | null
  dialect: Generated<'service' | 'cvat'>
}

export interface WebhooksDb {
  applied_calls: AppliedCallsTable
  dead_events: DeadEventsTable
  events: EventsTable
  idempotency_keys: IdempotencyKeysTable
  inbox: InboxTable
  organizations: OrganizationsTable
  outbox: OutboxTable
  outbox_sent: OutboxSentTable
  projects: ProjectsTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_messages: WebhookMessagesTable
  webhooks: WebhooksTable
}

export type AppliedCallRow = Selectable<AppliedCallsTable>
export type DeadEventRow = Selectable<DeadEventsTable>
export type EventRow = Selectable<EventsTable>
export type IdempotencyKeyRow = Selectable<IdempotencyKeysTable>
export type InboxRow = Selectable<InboxTable>
export type OrganizationRow = Selectable<OrganizationsTable>
export type OutboxRow = Selectable<OutboxTable>
export type OutboxSentRow = Selectable<OutboxSentTable>
export type ProjectRow = Selectable<ProjectsTable>
export type WebhookDeliveryRow = Selectable<WebhookDeliveriesTable>
export type WebhookMessageRow = Selectable<WebhookMessagesTable>
export type WebhookRow = Selectable<WebhooksTable>
