// Written by `npm run codegen` from the migrated database. Do not edit.
import type { ColumnType, Generated, Selectable } from 'kysely'

type Timestamp = ColumnType<Date, Date | string, Date | string>

export interface RequestsAppliedCallsTable {
  call_id: string
  response: Buffer | null
  created_date: Generated<Date>
}

export interface BlobsTable {
  key: string
  state: 'pending' | 'live' | 'dead'
  kind: 'upload' | 'media' | 'frames' | 'result'
  size: number | null
  organization_id: number | null
  task_id: number | null
  created_date: Generated<Date>
  dead_date: Timestamp | null
}

export interface CheckpointMembersTable {
  batch_id: Generated<number>
  request_uuid: string
  members: string
}

export interface ChunksTable {
  task_id: number
  name: string
  data_revision: number
  object_key: string | null
  size: number | null
  checksum: string | null
  builder: string | null
  leased_until_date: Timestamp | null
  created_date: Generated<Date>
  used_date: Generated<Date>
}

export interface ContentUsesTable {
  prefix: string
  content_id: number
}

export interface ContentsTable {
  content_id: Generated<number>
  tenant: string
  sha256: string
  size: number
  key: string
  home: string
  created_date: Generated<Date>
}

export interface RequestsDeadEventsTable {
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

export interface RequestsIdempotencyKeysTable {
  id: string
  call_id: string
  claim_id: string
  leased_until_date: Timestamp
  fingerprint: string | null
  answer: Buffer | null
  created_date: Generated<Date>
}

export interface RequestsInboxTable {
  consumer: string
  event_id: string
  received_date: Generated<Date>
}

export interface RequestsOutboxTable {
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

export interface RequestsOutboxSentTable {
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

export interface RequestsTable {
  request_uuid: string
  rq_id: string
  action: 'export' | 'import' | 'create'
  target: 'project' | 'task' | 'job' | 'events'
  target_id: number
  subresource: 'annotations' | 'dataset' | 'backup' | null
  format: string | null
  params: unknown
  project_id: number | null
  task_id: number | null
  job_id: number | null
  org_id: number | null
  owner_id: number
  principal: unknown
  tenant: string
  priority: Generated<number>
  size_class: Generated<'small' | 'large'>
  status: 'queued' | 'started' | 'finished' | 'failed'
  attempt: Generated<number>
  max_attempts: Generated<number>
  lease_owner: string | null
  lease_token: Generated<number>
  lease_until: Timestamp | null
  not_before_date: Timestamp | null
  is_applying: Generated<boolean>
  has_applied: Generated<boolean>
  progress: Generated<number>
  stage: Generated<string>
  message: Generated<string>
  report: unknown | null
  cache_key: string | null
  input_key: string | null
  result_key: string | null
  result_size: number | null
  result_id: number | null
  created_date: Generated<Date>
  started_date: Timestamp | null
  finished_date: Timestamp | null
  expiry_date: Timestamp | null
  traceparent: string | null
  bytes_done: number | null
  bytes_total: number | null
  items_done: number | null
  items_total: number | null
  checkpoint: unknown | null
}

export interface RequestsSweepsTable {
  name: string
  swept_date: Timestamp
}

export interface TenantTurnsTable {
  tenant: string
  last_claimed_date: Timestamp | null
}

export interface UploadBytesTable {
  upload_id: string
  owner_id: number
  bytes: number
}

export interface UploadSessionsTable {
  task_id: number
  upload_id: string
}

export interface UploadedFilesTable {
  file_id: string
  upload_id: string
  place: Generated<number>
  owner_id: number
  name: string
  key: string
  length: number
  offset: Generated<number>
  tail: string | null
  lease: string | null
  is_kept: Generated<boolean>
  sha256: string | null
  expected_sha256: string | null
}

export interface UploadsTable {
  upload_id: string
  prefix: string
  purpose: 'data' | 'annotations' | 'dataset' | 'backup'
  target: 'project' | 'task' | 'job'
  target_id: number
  owner_id: number
  created_date: Generated<Date>
  used_date: Generated<Date>
}

export interface WorkersTable {
  worker: string
  slots: number
  seen_date: Generated<Date>
}

export interface RequestsDb {
  applied_calls: RequestsAppliedCallsTable
  blobs: BlobsTable
  checkpoint_members: CheckpointMembersTable
  chunks: ChunksTable
  content_uses: ContentUsesTable
  contents: ContentsTable
  dead_events: RequestsDeadEventsTable
  idempotency_keys: RequestsIdempotencyKeysTable
  inbox: RequestsInboxTable
  outbox: RequestsOutboxTable
  outbox_sent: RequestsOutboxSentTable
  requests: RequestsTable
  sweeps: RequestsSweepsTable
  tenant_turns: TenantTurnsTable
  upload_bytes: UploadBytesTable
  upload_sessions: UploadSessionsTable
  uploaded_files: UploadedFilesTable
  uploads: UploadsTable
  workers: WorkersTable
}

export type RequestsAppliedCallRow = Selectable<RequestsAppliedCallsTable>
export type BlobRow = Selectable<BlobsTable>
export type CheckpointMemberRow = Selectable<CheckpointMembersTable>
export type ChunkRow = Selectable<ChunksTable>
export type ContentUseRow = Selectable<ContentUsesTable>
export type ContentRow = Selectable<ContentsTable>
export type RequestsDeadEventRow = Selectable<RequestsDeadEventsTable>
export type RequestsIdempotencyKeyRow = Selectable<RequestsIdempotencyKeysTable>
export type RequestsInboxRow = Selectable<RequestsInboxTable>
export type RequestsOutboxRow = Selectable<RequestsOutboxTable>
export type RequestsOutboxSentRow = Selectable<RequestsOutboxSentTable>
export type RequestRow = Selectable<RequestsTable>
export type RequestsSweepRow = Selectable<RequestsSweepsTable>
export type TenantTurnRow = Selectable<TenantTurnsTable>
export type UploadByteRow = Selectable<UploadBytesTable>
export type UploadSessionRow = Selectable<UploadSessionsTable>
export type UploadedFileRow = Selectable<UploadedFilesTable>
export type UploadRow = Selectable<UploadsTable>
export type WorkerRow = Selectable<WorkersTable>
