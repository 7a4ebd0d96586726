// Written by `npm run codegen` from the migrated database. Do not edit.
import type { ColumnType, Generated, Selectable } from 'kysely'

type Timestamp = ColumnType<Date, Date | string, Date | string>

export interface AnnotationsAppliedCallsTable {
  call_id: string
  response: Buffer | null
  created_date: Generated<Date>
}

export interface AuthorsTable {
  id: number
  username: string
  first_name: string
  last_name: string
}

export interface AnnotationsDeadEventsTable {
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

export interface DeletedLabelsTable {
  label_id: number
  name: string
  deleted_date: Generated<Date>
}

export interface AnnotationsIdempotencyKeysTable {
  id: string
  call_id: string
  claim_id: string
  leased_until_date: Timestamp
  fingerprint: string | null
  answer: Buffer | null
  created_date: Generated<Date>
}

export interface AnnotationsInboxTable {
  consumer: string
  event_id: string
  received_date: Generated<Date>
}

export interface AnnotationSetsTable {
  job_id: number
  task_id: number
  project_id: number | null
  organization_id: number | null
  start_frame: number | null
  stop_frame: number | null
  revision: Generated<number>
  labels_revision: Generated<number>
  tags: Generated<number>
  shapes: Generated<number>
  tracks: Generated<number>
  updated_date: Generated<Date>
  labels_changes: Generated<number>
  labels_noted: Generated<number>
  labels_sweep: unknown | null
  generation: Generated<number>
}

export interface AnnotationsOutboxTable {
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

export interface AnnotationsOutboxSentTable {
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

export interface ReplacedShapesTable {
  task_id: number
  job_id: number
  frame: number
  label_id: number
  id: number
  group: number
  z_order: number
  rotation: number
  score: number
  type: number
  source: number
  occluded: boolean
  outside: boolean
  points: string
  attributes: string | null
  elements: string | null
  generation: number
  revision: number
}

export interface ReplacedTagsTable {
  task_id: number
  job_id: number
  frame: number
  label_id: number
  id: number
  group: number
  source: number
  attributes: string | null
  generation: number
  revision: number
}

export interface ReplacedTracksTable {
  task_id: number
  job_id: number
  start_frame: number
  stop_frame: number
  label_id: number
  id: number
  origin: number | null
  group: number
  source: number
  attributes: string | null
  shapes: string
  elements: string | null
  generation: number
  revision: number
}

export interface RevisionsTable {
  id: Generated<number>
  task_id: number
  job_id: number
  revision: number
  generation: number
  replaced_generation: number | null
  labels_revision: number
  created_ids: string | null
  created_date: Timestamp
  author_id: number | null
  action: string
  created: number
  updated: number
  deleted: number
  request_id: string | null
  rq_id: string | null
  has_before: boolean
  is_readable: Generated<boolean>
}

export interface ShapesTable {
  task_id: number
  job_id: number
  frame: number
  label_id: number
  id: number
  group: number
  z_order: number
  rotation: number
  score: number
  type: number
  source: number
  occluded: boolean
  outside: boolean
  points: string
  attributes: string | null
  elements: string | null
  generation: Generated<number>
}

export interface TagsTable {
  task_id: number
  job_id: number
  frame: number
  label_id: number
  id: number
  group: number
  source: number
  attributes: string | null
  generation: Generated<number>
}

export interface TracksTable {
  task_id: number
  job_id: number
  start_frame: number
  stop_frame: number
  label_id: number
  id: number
  origin: number | null
  group: number
  source: number
  attributes: string | null
  shapes: string
  elements: string | null
  generation: Generated<number>
}

export interface AnnotationsDb {
  applied_calls: AnnotationsAppliedCallsTable
  authors: AuthorsTable
  dead_events: AnnotationsDeadEventsTable
  deleted_labels: DeletedLabelsTable
  idempotency_keys: AnnotationsIdempotencyKeysTable
  inbox: AnnotationsInboxTable
  jobs: AnnotationSetsTable
  outbox: AnnotationsOutboxTable
  outbox_sent: AnnotationsOutboxSentTable
  replaced_shapes: ReplacedShapesTable
  replaced_tags: ReplacedTagsTable
  replaced_tracks: ReplacedTracksTable
  revisions: RevisionsTable
  shapes: ShapesTable
  tags: TagsTable
  tracks: TracksTable
}

export type AnnotationsAppliedCallRow = Selectable<AnnotationsAppliedCallsTable>
export type AuthorRow = Selectable<AuthorsTable>
export type AnnotationsDeadEventRow = Selectable<AnnotationsDeadEventsTable>
export type DeletedLabelRow = Selectable<DeletedLabelsTable>
export type AnnotationsIdempotencyKeyRow = Selectable<AnnotationsIdempotencyKeysTable>
export type AnnotationsInboxRow = Selectable<AnnotationsInboxTable>
export type AnnotationSetRow = Selectable<AnnotationSetsTable>
export type AnnotationsOutboxRow = Selectable<AnnotationsOutboxTable>
export type AnnotationsOutboxSentRow = Selectable<AnnotationsOutboxSentTable>
export type ReplacedShapeRow = Selectable<ReplacedShapesTable>
export type ReplacedTagRow = Selectable<ReplacedTagsTable>
export type ReplacedTrackRow = Selectable<ReplacedTracksTable>
export type RevisionRow = Selectable<RevisionsTable>
export type ShapeRow = Selectable<ShapesTable>
export type TagRow = Selectable<TagsTable>
export type TrackRow = Selectable<TracksTable>
