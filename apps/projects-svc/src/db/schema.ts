// Written by `npm run codegen` from the migrated database. Do not edit.
import type { ColumnType, Generated, Selectable } from 'kysely'

type Timestamp = ColumnType<Date, Date | string, Date | string>

export interface AccessTokensTable {
  id: Generated<number>
  owner_id: number
  name: string
  prefix: string
  token_hash: Buffer
  read_only: boolean
  expiry_date: Timestamp | null
  last_used_date: Timestamp | null
  revoked_date: Timestamp | null
  created_date: Timestamp
  updated_date: Timestamp
  dialect: Generated<string>
}

export interface AnnotationTouchesTable {
  event_id: string
  task_id: number
  organization_id: number | null
  project_id: number | null
  task_updated_date: Timestamp
  is_draft: boolean
  jobs: unknown
  created_date: Generated<Date>
}

export interface ProjectsAppliedCallsTable {
  call_id: string
  response: Buffer | null
  created_date: Generated<Date>
}

export interface AssetsTable {
  uuid: string
  guide_id: number
  owner_id: number | null
  filename: string
  media_type: string
  size: number
  key: string
  created_date: Generated<Date>
}

export interface AttributesTable {
  id: Generated<number>
  label_id: number
  name: string
  mutable: boolean
  input_type: 'checkbox' | 'radio' | 'number' | 'text' | 'select'
  default_value: string
  values: string[]
}

export interface AuthTokensTable {
  id: Generated<number>
  user_id: number
  token_hash: Buffer
  created_date: Timestamp
  session_id: number | null
}

export interface AssetBlobsTable {
  key: string
  state: 'pending' | 'live' | 'dead'
  kind: 'upload' | 'asset'
  size: number | null
  organization_id: number | null
  created_date: Generated<Date>
  dead_date: Timestamp | null
}

export interface CloudStoragesTable {
  id: Generated<number>
  provider_type: 'AWS_S3_BUCKET' | 'AZURE_CONTAINER' | 'GOOGLE_CLOUD_STORAGE'
  resource: string
  display_name: string
  description: Generated<string>
  credentials_type: 'KEY_SECRET_KEY_PAIR' | 'ACCOUNT_NAME_TOKEN_PAIR' | 'KEY_FILE_PATH' | 'ANONYMOUS_ACCESS' | 'CONNECTION_STRING'
  credentials_sealed: string | null
  specific_attributes: Generated<string>
  manifests: Generated<string[]>
  owner_id: number | null
  organization_id: number | null
  created_date: Generated<Date>
  updated_date: Generated<Date>
  is_inside_allowed: Generated<boolean>
}

export interface CommentsTable {
  id: Generated<number>
  issue_id: number
  owner_id: number | null
  message: string
  created_date: Generated<Date>
  updated_date: Generated<Date>
}

export interface DataSetsTable {
  task_id: number
  image_quality: number
  chunk_size: number
  start_frame: number
  stop_frame: number
  frame_filter: Generated<string>
  data_revision: Generated<number>
  chunks_updated_date: Generated<Date>
  storage: Generated<'local' | 'share' | 'cloud_storage'>
  deleted_frames: Generated<number[]>
  video_name: string | null
  cloud_storage_id: number | null
}

export interface ProjectsDeadEventsTable {
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

export interface DraftsTable {
  draft_id: string
  target: 'project' | 'task'
  owner_id: number
  organization_id: number | null
  project_id: number | null
  labels: unknown | null
  labels_revision: number | null
  based_on: number | null
  created_date: Generated<Date>
}

export interface FrameNamesTable {
  task_id: number
  first_frame: number
  names: string
}

export interface FramesTable {
  task_id: number
  frame: number
  name: string
  width: number
  height: number
  key: string
  offset: number
  length: number
  packing: 'stored' | 'deflated' | 'video'
  media_type: string
  related: unknown | null
}

export interface GuidesTable {
  id: Generated<number>
  project_id: number | null
  task_id: number | null
  markdown: Generated<string>
  created_date: Generated<Date>
  updated_date: Generated<Date>
}

export interface ProjectsIdempotencyKeysTable {
  id: string
  call_id: string
  claim_id: string
  leased_until_date: Timestamp
  fingerprint: string | null
  answer: Buffer | null
  created_date: Generated<Date>
}

export interface ProjectsInboxTable {
  consumer: string
  event_id: string
  received_date: Generated<Date>
}

export interface InvitationsTable {
  id: Generated<number>
  key: string
  membership_id: number
  owner_id: number | null
  created_date: Timestamp
  sent_date: Timestamp | null
}

export interface IssuesTable {
  id: Generated<number>
  job_id: number
  frame: number
  position: number[]
  owner_id: number | null
  assignee_id: number | null
  resolved: Generated<boolean>
  created_date: Generated<Date>
  updated_date: Generated<Date>
}

export interface JobsTable {
  id: Generated<number>
  task_id: number
  type: Generated<'annotation' | 'ground_truth' | 'consensus_replica'>
  stage: Generated<'annotation' | 'validation' | 'acceptance'>
  state: Generated<'new' | 'in progress' | 'completed' | 'rejected'>
  status: Generated<'annotation' | 'validation' | 'completed'>
  assignee_id: number | null
  assignee_updated_date: Timestamp | null
  start_frame: number
  stop_frame: number
  parent_job_id: number | null
  created_date: Generated<Date>
  updated_date: Generated<Date>
  frame_count: number | null
  revision: Generated<number>
}

export interface LabelChangesTable {
  event_id: string
  project_id: number | null
  task_id: number | null
  created_date: Generated<Date>
}

export interface LabelsTable {
  id: Generated<number>
  project_id: number | null
  task_id: number | null
  parent_id: number | null
  name: string
  color: string
  type: Generated<'any' | 'cuboid' | 'ellipse' | 'mask' | 'points' | 'polygon' | 'polyline' | 'rectangle' | 'skeleton' | 'tag'>
  svg: string | null
}

export interface MailedKeysTable {
  id: Generated<number>
  user_id: number
  purpose: 'password' | 'email'
  key_hash: Buffer
  expiry_date: Timestamp
}

export interface MembershipsTable {
  id: Generated<number>
  organization_id: number
  user_id: number
  role: 'owner' | 'maintainer' | 'supervisor' | 'worker'
  is_active: boolean
  joined_date: Timestamp | null
}

export interface OrganizationsTable {
  id: Generated<number>
  slug: string
  name: string
  description: Generated<string>
  contact: Generated<unknown>
  owner_id: number | null
  created_date: Generated<Date>
  updated_date: Generated<Date>
}

export interface ProjectsOutboxTable {
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

export interface ProjectsOutboxSentTable {
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

export interface PasswordFailuresTable {
  id: Generated<number>
  address: string
  username: string
  failed_date: Timestamp
  is_familiar: Generated<boolean>
  logged_date: Timestamp | null
}

export interface PasswordOriginsTable {
  user_id: number
  address: string
  used_date: Timestamp
}

export interface ProjectsTable {
  id: Generated<number>
  name: string
  owner_id: number | null
  assignee_id: number | null
  assignee_updated_date: Timestamp | null
  status: Generated<'annotation' | 'validation' | 'completed'>
  bug_tracker: Generated<string>
  organization_id: number | null
  labels_revision: Generated<number>
  created_date: Generated<Date>
  updated_date: Generated<Date>
  draft_id: string | null
  revision: Generated<number>
}

export interface SessionsTable {
  id: Generated<number>
  user_id: number
  token_hash: Buffer
  created_date: Timestamp
  expiry_date: Timestamp
}

export interface StoragesTable {
  id: Generated<number>
  project_id: number | null
  task_id: number | null
  purpose: 'source' | 'target'
  location: 'local' | 'cloud_storage'
  cloud_storage_id: number | null
}

export interface ProjectsSweepsTable {
  name: string
  swept_date: Timestamp
}

export interface TasksTable {
  id: Generated<number>
  name: string
  project_id: number | null
  owner_id: number | null
  assignee_id: number | null
  assignee_updated_date: Timestamp | null
  status: Generated<'new' | 'annotation' | 'validation' | 'completed'>
  bug_tracker: Generated<string>
  subset: Generated<string>
  overlap: number | null
  segment_size: Generated<number>
  size: Generated<number>
  mode: Generated<'' | 'annotation' | 'interpolation'>
  dimension: Generated<'2d' | '3d'>
  media_type: Generated<'' | 'image' | 'point_cloud'>
  organization_id: number | null
  labels_revision: Generated<number>
  created_date: Generated<Date>
  updated_date: Generated<Date>
  consensus_replicas: Generated<number>
  validation_mode: 'gt' | 'gt_pool' | null
  draft_id: string | null
  revision: Generated<number>
}

export interface UsersTable {
  id: Generated<number>
  username: string
  email: string
  first_name: Generated<string>
  last_name: Generated<string>
  password_hash: string
  role: 'admin' | 'user' | 'worker' | null
  is_active: Generated<boolean>
  is_staff: Generated<boolean>
  is_superuser: Generated<boolean>
  is_email_verified: Generated<boolean>
  date_joined: Generated<Date>
  last_login: Timestamp | null
}

export interface ValidationFramesTable {
  job_id: number
  frame: number
  is_disabled: Generated<boolean>
}

export interface VideoChaptersTable {
  task_id: number
  chapters: unknown
}

export interface ProjectsDb {
  access_tokens: AccessTokensTable
  annotation_touches: AnnotationTouchesTable
  applied_calls: ProjectsAppliedCallsTable
  assets: AssetsTable
  attributes: AttributesTable
  auth_tokens: AuthTokensTable
  blobs: AssetBlobsTable
  cloud_storages: CloudStoragesTable
  comments: CommentsTable
  data_sets: DataSetsTable
  dead_events: ProjectsDeadEventsTable
  drafts: DraftsTable
  frame_names: FrameNamesTable
  frames: FramesTable
  guides: GuidesTable
  idempotency_keys: ProjectsIdempotencyKeysTable
  inbox: ProjectsInboxTable
  invitations: InvitationsTable
  issues: IssuesTable
  jobs: JobsTable
  label_changes: LabelChangesTable
  labels: LabelsTable
  mailed_keys: MailedKeysTable
  memberships: MembershipsTable
  organizations: OrganizationsTable
  outbox: ProjectsOutboxTable
  outbox_sent: ProjectsOutboxSentTable
  password_failures: PasswordFailuresTable
  password_origins: PasswordOriginsTable
  projects: ProjectsTable
  sessions: SessionsTable
  storages: StoragesTable
  sweeps: ProjectsSweepsTable
  tasks: TasksTable
  users: UsersTable
  validation_frames: ValidationFramesTable
  video_chapters: VideoChaptersTable
}

export type AccessTokenRow = Selectable<AccessTokensTable>
export type AnnotationTouchRow = Selectable<AnnotationTouchesTable>
export type ProjectsAppliedCallRow = Selectable<ProjectsAppliedCallsTable>
export type AssetRow = Selectable<AssetsTable>
export type AttributeRow = Selectable<AttributesTable>
export type AuthTokenRow = Selectable<AuthTokensTable>
export type AssetBlobRow = Selectable<AssetBlobsTable>
export type CloudStorageRow = Selectable<CloudStoragesTable>
export type CommentRow = Selectable<CommentsTable>
export type DataSetRow = Selectable<DataSetsTable>
export type ProjectsDeadEventRow = Selectable<ProjectsDeadEventsTable>
export type DraftRow = Selectable<DraftsTable>
export type FrameNameRow = Selectable<FrameNamesTable>
export type FrameRow = Selectable<FramesTable>
export type GuideRow = Selectable<GuidesTable>
export type ProjectsIdempotencyKeyRow = Selectable<ProjectsIdempotencyKeysTable>
export type ProjectsInboxRow = Selectable<ProjectsInboxTable>
export type InvitationRow = Selectable<InvitationsTable>
export type IssueRow = Selectable<IssuesTable>
export type JobRow = Selectable<JobsTable>
export type LabelChangeRow = Selectable<LabelChangesTable>
export type LabelRow = Selectable<LabelsTable>
export type MailedKeyRow = Selectable<MailedKeysTable>
export type MembershipRow = Selectable<MembershipsTable>
export type OrganizationRow = Selectable<OrganizationsTable>
export type ProjectsOutboxRow = Selectable<ProjectsOutboxTable>
export type ProjectsOutboxSentRow = Selectable<ProjectsOutboxSentTable>
export type PasswordFailureRow = Selectable<PasswordFailuresTable>
export type PasswordOriginRow = Selectable<PasswordOriginsTable>
export type ProjectRow = Selectable<ProjectsTable>
export type SessionRow = Selectable<SessionsTable>
export type StorageRow = Selectable<StoragesTable>
export type ProjectsSweepRow = Selectable<ProjectsSweepsTable>
export type TaskRow = Selectable<TasksTable>
export type UserRow = Selectable<UsersTable>
export type ValidationFrameRow = Selectable<ValidationFramesTable>
export type VideoChapterRow = Selectable<VideoChaptersTable>
