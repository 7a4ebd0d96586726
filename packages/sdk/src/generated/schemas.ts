/** Written by `npm run codegen` from the table of operations. */

export interface About {
  name: string
  description: string
  version: string
  logo_url: string
  subtitle: string
}

export type Health = Record<string, string | HealthCheck>

export interface HealthCheck {
  status: "working" | "failing"
  took_ms: number
  reason: string | null
}

export type Failure = FailureDetail | FailureOfFields | FailureTexts

export type FailureDetail = { detail: string; code: string; request_id: string } & Record<string, unknown>

/** Lists of messages by the names of invalid fields */
export type FailureOfFields = Record<string, unknown>

export type FailureTexts = unknown[]

export type Problem = { type: string; title: string; status: number; detail: string; instance: string; code: string; request_id: string; errors?: { pointer: string; code: string; message: string }[] } & Record<string, unknown>

export interface Plugins {
  ANALYTICS: boolean
  MODELS: boolean
  GIT_INTEGRATION: boolean
  PREDICT: boolean
}

export interface Capabilities {
  media: string[]
  image_types: string[]
  video: boolean
  video_decoder: "ffmpeg" | "node-av" | null
  pdf: boolean
  point_cloud: boolean
  cloud_providers: string[]
  email: boolean
  registration: boolean
  analytics: boolean
  share: boolean
  max_upload_bytes: number
  max_jobs_per_task: number
  dialects: string[]
}

export type Limits = Record<string, number>

export interface ShareEntry {
  name: string
  type: "REG" | "DIR"
  mime_type: string
}

export interface Formats {
  importers: Format[]
  exporters: Format[]
}

export interface Format {
  name: string
  ext: string
  version: string
  enabled: boolean
  dimension: "2d" | "3d"
  kinds: string[]
  tracks: boolean
  attributes: boolean
  options: { name: string; type: string; default: unknown }[]
}

export interface FormatLosses {
  formats: ({ name: string; kinds: Record<string, "kept" | "converted" | "dropped">; features: Record<string, "kept" | "converted" | "dropped"> })[]
}

export interface Login {
  username?: string
  email?: string
  password: string
}

export interface LoginAnswer {
  key: string
}

export interface Detail {
  detail: string
}

export interface Register {
  username: string
  password1: string
  password2: string
  email?: string
  first_name?: string
  last_name?: string
}

export interface Registered {
  username: string
  email: string
  first_name: string
  last_name: string
  email_verification_required: boolean
  key: string | null
}

export interface PasswordChange {
  old_password: string
  new_password1: string
  new_password2: string
}

export interface EmailAddress {
  email: string
}

export interface PasswordReset {
  uid: string
  token: string
  new_password1: string
  new_password2: string
}

export interface EmailKey {
  key: string
}

export interface MetaUserPage {
  count: number
  next: string | null
  previous: string | null
  results: MetaUser[]
}

export interface MetaUser {
  url: string
  id: number
  username: string
  first_name: string
  last_name: string
  email?: string
  groups?: string[]
  is_staff?: boolean
  is_superuser?: boolean
  is_active?: boolean
  last_login?: string | null
  date_joined?: string
  has_analytics_access?: boolean
}

export interface User {
  url: string
  id: number
  username: string
  first_name: string
  last_name: string
  email: string
  groups: string[]
  is_staff: boolean
  is_superuser: boolean
  is_active: boolean
  last_login: string | null
  date_joined: string
  has_analytics_access: boolean
}

export interface UserPatch {
  username?: string
  first_name?: string
  last_name?: string
  email?: string
  is_email_verified?: boolean
  groups?: ("admin" | "user" | "worker")[]
  is_active?: boolean
  is_staff?: boolean
  is_superuser?: boolean
}

export interface AccessTokenPage {
  count: number
  next: string | null
  previous: string | null
  results: AccessToken[]
}

export interface AccessToken {
  id: number
  name: string
  created_date: string
  updated_date: string
  expiry_date: string | null
  last_used_date: string | null
  read_only: boolean
  dialect: string
  owner: BasicUser
}

export interface BasicUser {
  url: string
  id: number
  username: string
  first_name: string
  last_name: string
}

export interface AccessTokenCreate {
  name: string
  expiry_date?: string | null
  read_only?: boolean
  dialect?: "service" | "cvat"
}

export interface AccessTokenCreated {
  id: number
  name: string
  created_date: string
  updated_date: string
  expiry_date: string | null
  last_used_date: string | null
  read_only: boolean
  dialect: string
  owner: BasicUser
  value: string
}

export interface AccessTokenPatch {
  name?: string
  expiry_date?: string | null
  read_only?: boolean
  dialect?: "service" | "cvat"
}

export interface OrganizationPage {
  count: number
  next: string | null
  previous: string | null
  results: Organization[]
}

export interface Organization {
  id: number
  slug: string
  name: string
  description: string
  created_date: string
  updated_date: string
  contact: Record<string, unknown>
  owner: BasicUser | null
}

export interface OrganizationCreate {
  slug: string
  name?: string
  description?: string
  contact?: Record<string, unknown>
}

export interface OrganizationPatch {
  slug?: string
  name?: string
  description?: string
  contact?: Record<string, unknown>
}

export interface OrganizationTransfer {
  user_id: number
}

export interface MembershipPage {
  count: number
  next: string | null
  previous: string | null
  results: Membership[]
}

export interface Membership {
  id: number
  user: BasicUser
  organization: number
  is_active: boolean
  joined_date: string | null
  role: "owner" | "maintainer" | "supervisor" | "worker"
  invitation: string | null
}

export interface MembershipPatch {
  role?: "worker" | "supervisor" | "maintainer"
}

export interface InvitationPage {
  count: number
  next: string | null
  previous: string | null
  results: Invitation[]
}

export interface Invitation {
  key: string
  created_date: string
  owner: BasicUser | null
  role: "owner" | "maintainer" | "supervisor" | "worker"
  user: BasicUser
  organization: number
  organization_info: OrganizationInfo
  expired: boolean | null
  accepted: boolean
}

export interface OrganizationInfo {
  id: number
  slug: string
}

export interface InvitationCreate {
  email: string
  role: "owner" | "maintainer" | "supervisor" | "worker"
}

export interface InvitationAccepted {
  organization_slug: string
}

export interface ProjectPage {
  count: number
  next: string | null
  previous: string | null
  results: Project[]
}

export interface Project {
  url: string
  id: number
  name: string
  owner: BasicUser | null
  assignee: BasicUser | null
  assignee_updated_date: string | null
  status: "annotation" | "validation" | "completed"
  labels: Label[]
  bug_tracker: string
  guide_id: number | null
  task_subsets: string[]
  dimension: "2d" | "3d" | null
  created_date: string
  updated_date: string
  revision?: number
  organization: number | null
  organization_id: number | null
  source_storage: Storage | null
  target_storage: Storage | null
  tasks: TasksSummary
}

export interface Label {
  id: number
  name: string
  color: string
  type: "any" | "cuboid" | "ellipse" | "mask" | "points" | "polygon" | "polyline" | "rectangle" | "skeleton" | "tag"
  attributes: Attribute[]
  has_parent: boolean
  sublabels: Sublabel[]
  svg?: string
  project_id?: number
  task_id?: number
  parent_id: number | null
}

export interface Attribute {
  id: number
  name: string
  mutable: boolean
  input_type: "checkbox" | "radio" | "number" | "text" | "select"
  default_value: string
  values: string[]
}

export interface Sublabel {
  id: number
  name: string
  color: string
  type: "any" | "cuboid" | "ellipse" | "mask" | "points" | "polygon" | "polyline" | "rectangle" | "skeleton" | "tag"
  attributes: Attribute[]
  has_parent: boolean
}

export interface Storage {
  id: number
  location: "local" | "cloud_storage"
  cloud_storage_id: number | null
}

export interface TasksSummary {
  count: number
  url: string
}

export interface ProjectCreate {
  name: string
  owner_id?: number | null
  assignee_id?: number | null
  labels?: LabelWrite[]
  bug_tracker?: string
  source_storage?: StorageWrite
  target_storage?: StorageWrite
}

export interface LabelWrite {
  id?: number
  name?: string
  color?: string
  type?: "any" | "cuboid" | "ellipse" | "mask" | "points" | "polygon" | "polyline" | "rectangle" | "skeleton" | "tag"
  attributes?: AttributeWrite[]
  deleted?: boolean
  svg?: string
  sublabels?: SublabelWrite[]
}

export interface AttributeWrite {
  id?: number
  name?: string
  mutable?: boolean
  input_type?: "checkbox" | "radio" | "number" | "text" | "select"
  default_value?: string
  values?: string[]
  deleted?: boolean
}

export interface SublabelWrite {
  id?: number
  name?: string
  color?: string
  type?: "any" | "cuboid" | "ellipse" | "mask" | "points" | "polygon" | "polyline" | "rectangle" | "skeleton" | "tag"
  attributes?: AttributeWrite[]
  deleted?: boolean
}

export interface StorageWrite {
  location?: "local" | "cloud_storage"
  cloud_storage_id?: number | null
}

export interface ProjectPatch {
  name?: string
  owner_id?: number | null
  assignee_id?: number | null
  labels?: LabelWrite[]
  bug_tracker?: string
  source_storage?: StorageWrite
  target_storage?: StorageWrite
  status?: "annotation" | "validation" | "completed"
  organization_id?: number | null
}

export interface LabelPage {
  count: number
  next: string | null
  previous: string | null
  results: Label[]
}

export interface LabelPatch {
  name?: string
  color?: string
  type?: "any" | "cuboid" | "ellipse" | "mask" | "points" | "polygon" | "polyline" | "rectangle" | "skeleton" | "tag"
  attributes?: AttributeWrite[]
  deleted?: boolean
  svg?: string
  sublabels?: SublabelWrite[]
}

export interface TaskPage {
  count: number
  next: string | null
  previous: string | null
  results: Task[]
}

export interface Task {
  url: string
  id: number
  name: string
  project_id: number | null
  project_name: string | null
  owner: BasicUser | null
  assignee: BasicUser | null
  assignee_updated_date: string | null
  status: "new" | "annotation" | "validation" | "completed"
  size: number
  mode: "annotation" | "interpolation" | ""
  dimension: "2d" | "3d"
  media_type: "image" | "point_cloud" | ""
  subset: string
  bug_tracker: string
  overlap: number | null
  segment_size: number
  data: number | null
  data_chunk_size?: number
  data_compressed_chunk_type?: "imageset" | "video"
  data_original_chunk_type?: "imageset" | "video"
  data_cloud_storage_id?: number | null
  image_quality?: number
  guide_id: number | null
  created_date: string
  updated_date: string
  revision?: number
  organization: number | null
  organization_id: number | null
  source_storage: Storage | null
  target_storage: Storage | null
  jobs: JobsSummary
  labels: Label[]
  validation_mode: "gt" | "gt_pool" | null
  consensus_enabled: boolean
}

export interface JobsSummary {
  count: number
  completed: number
  validation: number
  url: string
}

export interface TaskCreate {
  name: string
  project_id?: number | null
  owner_id?: number | null
  assignee_id?: number | null
  labels?: LabelWrite[]
  bug_tracker?: string
  subset?: string
  source_storage?: StorageWrite
  target_storage?: StorageWrite
  overlap?: number | null
  segment_size?: number
  consensus_replicas?: number
}

export interface TaskPatch {
  name?: string
  project_id?: number | null
  owner_id?: number | null
  assignee_id?: number | null
  labels?: LabelWrite[]
  bug_tracker?: string
  subset?: string
  source_storage?: StorageWrite
  target_storage?: StorageWrite
  organization_id?: number | null
}

export interface TaskValidationLayout {
  mode: "gt" | "gt_pool" | null
  validation_frames?: number[]
  disabled_frames?: number[]
}

export interface ValidationLayoutPatch {
  disabled_frames?: number[]
}

export interface JobPage {
  count: number
  next: string | null
  previous: string | null
  results: Job[]
}

export interface Job {
  url: string
  id: number
  task_id: number
  task_name: string | null
  project_id: number | null
  project_name: string | null
  assignee: BasicUser | null
  assignee_updated_date: string | null
  guide_id: number | null
  dimension: "2d" | "3d"
  mode: "annotation" | "interpolation" | ""
  media_type: "image" | "point_cloud" | ""
  bug_tracker: string
  status: "annotation" | "validation" | "completed"
  stage: "annotation" | "validation" | "acceptance"
  state: "new" | "in progress" | "completed" | "rejected"
  type: "annotation" | "ground_truth" | "consensus_replica"
  frame_count: number
  start_frame: number
  stop_frame: number
  data_chunk_size: number
  data_compressed_chunk_type: "imageset" | "video"
  data_original_chunk_type: "imageset" | "video"
  created_date: string
  updated_date: string
  revision?: number
  issues: IssuesSummary
  labels: LabelsSummary
  organization: number | null
  source_storage: Storage | null
  target_storage: Storage | null
  parent_job_id: number | null
  replicas_count: number
  consensus_replicas: number
}

export interface IssuesSummary {
  url: string
  count: number
}

export interface LabelsSummary {
  url: string
}

export interface JobCreate {
  type: "ground_truth"
  task_id: number
  assignee?: number | null
  assignee_id?: number | null
  frame_selection_method: "random_uniform" | "random_per_job" | "manual"
  frame_count?: number | null
  frame_share?: number | null
  frames_per_job_count?: number | null
  frames_per_job_share?: number | null
  random_seed?: number | null
  frames?: number[]
}

export interface JobPatch {
  assignee?: number | null
  assignee_id?: number | null
  stage?: "annotation" | "validation" | "acceptance"
  state?: "new" | "in progress" | "completed" | "rejected"
}

export interface JobValidationLayout {
}

export interface IssuePage {
  count: number
  next: string | null
  previous: string | null
  results: Issue[]
}

export interface Issue {
  id: number
  frame: number
  position: number[]
  job: number
  owner: BasicUser | null
  assignee: BasicUser | null
  created_date: string
  updated_date: string
  resolved: boolean
  comments: CommentsSummary
}

export interface CommentsSummary {
  count: number
  url: string
}

export interface IssueCreate {
  job: number
  frame: number
  position: number[]
  assignee?: number | null
  resolved?: boolean
  message: string
}

export interface IssuePatch {
  position?: number[]
  assignee?: number | null
  resolved?: boolean
}

export interface CommentPage {
  count: number
  next: string | null
  previous: string | null
  results: Comment[]
}

export interface Comment {
  id: number
  issue: number
  owner: BasicUser | null
  message: string
  created_date: string
  updated_date: string
}

export interface CommentCreate {
  issue: number
  message: string
}

export interface CommentPatch {
  message?: string
}

export interface GuideCreate {
  project_id?: number | null
  task_id?: number | null
  markdown?: string
}

export interface Guide {
  id: number
  task_id: number | null
  project_id: number | null
  created_date: string
  updated_date: string
  markdown: string
}

export interface GuidePatch {
  markdown?: string
}

export interface Asset {
  uuid: string
  filename: string
  created_date: string
  owner: BasicUser | null
  guide_id: number
}

export interface CloudStoragePage {
  count: number
  next: string | null
  previous: string | null
  results: CloudStorage[]
}

export interface CloudStorage {
  id: number
  provider_type: "AWS_S3_BUCKET" | "AZURE_CONTAINER" | "GOOGLE_CLOUD_STORAGE"
  resource: string
  display_name: string
  description: string
  credentials_type: "KEY_SECRET_KEY_PAIR" | "ACCOUNT_NAME_TOKEN_PAIR" | "KEY_FILE_PATH" | "ANONYMOUS_ACCESS" | "CONNECTION_STRING"
  specific_attributes: string
  manifests: string[]
  owner: BasicUser | null
  organization: number | null
  created_date: string
  updated_date: string
}

export interface CloudStorageCreate {
  provider_type: "AWS_S3_BUCKET" | "AZURE_CONTAINER" | "GOOGLE_CLOUD_STORAGE"
  resource: string
  display_name: string
  description?: string
  credentials_type: "KEY_SECRET_KEY_PAIR" | "ACCOUNT_NAME_TOKEN_PAIR" | "KEY_FILE_PATH" | "ANONYMOUS_ACCESS" | "CONNECTION_STRING"
  specific_attributes?: string
  manifests?: string[]
  key?: string
  secret_key?: string
  session_token?: string
  account_name?: string
  key_file?: string
  connection_string?: string
}

export interface CloudStoragePatch {
  resource?: string
  display_name?: string
  description?: string
  credentials_type?: "KEY_SECRET_KEY_PAIR" | "ACCOUNT_NAME_TOKEN_PAIR" | "KEY_FILE_PATH" | "ANONYMOUS_ACCESS" | "CONNECTION_STRING"
  specific_attributes?: string
  manifests?: string[]
  key?: string
  secret_key?: string
  session_token?: string
  account_name?: string
  key_file?: string
  connection_string?: string
}

export interface CloudStorageContent {
  content: CloudStorageEntry[]
  next: string | null
}

export interface CloudStorageEntry {
  name: string
  type: "REG" | "DIR"
  mime_type: "image" | "video" | "archive" | "pdf" | "DIR" | "unknown"
}

export interface DataMeta {
  chunk_size: number
  size: number
  image_quality: number
  start_frame: number
  stop_frame: number
  frame_filter: string
  storage: "local" | "share" | "cloud_storage"
  cloud_storage_id: number | null
  chapters: Chapter[] | null
  chunks_updated_date: string
  deleted_frames: number[]
  included_frames: unknown
  frames: FrameMeta[]
}

export interface Chapter {
  id: number
  start: number
  stop: number
  metadata: ChapterMetadata
}

export interface ChapterMetadata {
  title: string
}

export interface FrameMeta {
  name: string
  width: number
  height: number
  related_files: number
  has_related_context: boolean
}

export interface TaskDataMetaPatch {
  deleted_frames?: number[]
  cloud_storage_id?: number | null
}

export interface JobDataMetaPatch {
  deleted_frames?: number[]
}

export interface ProjectDataMeta {
  size: number
  tasks: number
  deleted_frames: number
}

export interface FoundFramePage {
  count: number
  next: string | null
  previous: string | null
  results: FoundFrame[]
}

export interface FoundFrame {
  task_id: number
  job_ids: number[]
  frame: number
  name: string
}

export interface AnnotationSet {
  version: number
  tags: Tag[]
  shapes: Shape[]
  tracks: Track[]
}

export interface Tag {
  id?: number | null
  frame: number
  label_id: number
  group: number | null
  source: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes: { spec_id: number; value: string }[]
}

export interface Shape {
  id?: number | null
  frame: number
  label_id: number
  group: number | null
  source: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  type: "rectangle" | "polygon" | "polyline" | "points" | "ellipse" | "cuboid" | "mask" | "skeleton"
  score: number
  occluded: boolean
  outside: boolean
  z_order: number
  rotation: number
  points: number[]
  attributes: { spec_id: number; value: string }[]
  elements: ShapeElement[]
}

export interface ShapeElement {
  id?: number | null
  frame: number
  label_id: number
  group: number | null
  source: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  type: "rectangle" | "polygon" | "polyline" | "points" | "ellipse" | "cuboid" | "mask" | "skeleton"
  score: number
  occluded: boolean
  outside: boolean
  z_order: number
  rotation: number
  points: number[]
  attributes: { spec_id: number; value: string }[]
}

export interface Track {
  id?: number | null
  frame: number
  label_id: number
  group: number | null
  source: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes: { spec_id: number; value: string }[]
  shapes: TrackShape[]
  elements: TrackElement[]
}

export interface TrackShape {
  id?: number | null
  type: "rectangle" | "polygon" | "polyline" | "points" | "ellipse" | "cuboid" | "mask" | "skeleton"
  frame: number
  keyframe: boolean
  occluded: boolean
  outside: boolean
  z_order: number
  rotation: number
  points: number[]
  attributes: { spec_id: number; value: string }[]
}

export interface TrackElement {
  id?: number | null
  frame: number
  label_id: number
  group: number | null
  source: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes: { spec_id: number; value: string }[]
  shapes: TrackShape[]
}

export interface AnnotationSetWrite {
  version?: number
  tags?: TagWrite[]
  shapes?: ShapeWrite[]
  tracks?: TrackWrite[]
}

export interface TagWrite {
  id?: number | null
  frame: number
  label_id: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes?: { spec_id: number; value: string }[]
}

export interface ShapeWrite {
  id?: number | null
  frame: number
  label_id: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  type: "rectangle" | "polygon" | "polyline" | "points" | "ellipse" | "cuboid" | "mask" | "skeleton"
  score?: number
  occluded?: boolean
  outside?: boolean
  z_order?: number
  rotation?: number
  points?: number[]
  attributes?: { spec_id: number; value: string }[]
  elements?: ShapeElementWrite[]
}

export interface ShapeElementWrite {
  id?: number | null
  frame: number
  label_id: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  type: "rectangle" | "polygon" | "polyline" | "points" | "ellipse" | "cuboid" | "mask" | "skeleton"
  score?: number
  occluded?: boolean
  outside?: boolean
  z_order?: number
  rotation?: number
  points?: number[]
  attributes?: { spec_id: number; value: string }[]
}

export interface TrackWrite {
  id?: number | null
  frame: number
  label_id: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes?: { spec_id: number; value: string }[]
  shapes: TrackShapeWrite[]
  elements?: TrackElementWrite[]
}

export interface TrackShapeWrite {
  id?: number | null
  type: "rectangle" | "polygon" | "polyline" | "points" | "ellipse" | "cuboid" | "mask" | "skeleton"
  frame: number
  keyframe?: boolean
  occluded?: boolean
  outside?: boolean
  z_order?: number
  rotation?: number
  points?: number[]
  attributes?: { spec_id: number; value: string }[]
}

export interface TrackElementWrite {
  id?: number | null
  frame: number
  label_id: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes?: { spec_id: number; value: string }[]
  shapes: TrackShapeWrite[]
}

export interface AnnotationSetPatch {
  version?: number
  tags?: TagPatch[]
  shapes?: ShapePatch[]
  tracks?: TrackPatch[]
}

export interface TagPatch {
  id?: number | null
  frame?: number
  label_id?: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes?: { spec_id: number; value: string }[]
}

export interface ShapePatch {
  id?: number | null
  frame?: number
  label_id?: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  type?: "rectangle" | "polygon" | "polyline" | "points" | "ellipse" | "cuboid" | "mask" | "skeleton"
  score?: number
  occluded?: boolean
  outside?: boolean
  z_order?: number
  rotation?: number
  points?: number[]
  attributes?: { spec_id: number; value: string }[]
  elements?: ShapeElementWrite[]
}

export interface TrackPatch {
  id?: number | null
  frame?: number
  label_id?: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes?: { spec_id: number; value: string }[]
  shapes?: TrackShapeWrite[]
  elements?: TrackElementWrite[]
}

export interface AnnotationStatistics {
  frames: FrameStatistics
  objects: ObjectStatistics
  labels?: LabelStatistics[]
  sources: Record<"manual" | "auto" | "semi-auto" | "file" | "consensus", number>
  authors?: AuthorStatistics[]
  authors_since?: string | null
  updated_date: string | null
}

export interface FrameStatistics {
  total: number
  annotated: number
  deleted: number
}

export interface ObjectStatistics {
  tags: number
  shapes: number
  tracks: number
  track_keyframes: number
}

export interface LabelStatistics {
  label_id: number
  name: string
  tags: number
  rectangle: number
  polygon: number
  polyline: number
  points: number
  ellipse: number
  cuboid: number
  mask: number
  skeleton: number
  tracks: number
}

export interface AuthorStatistics {
  user: BasicUser | null
  created: number
  updated: number
  deleted: number
}

export interface PaginatedAnnotationRevisionList {
  count: number
  next: string | null
  previous: string | null
  results: AnnotationRevision[]
}

export interface AnnotationRevision {
  revision: number
  job_id: number
  created_date: string
  author: BasicUser | null
  action: "create" | "update" | "delete" | "replace" | "import" | "restore" | "label_change"
  counts: RevisionCounts
  request_id: string | null
  rq_id: string | null
  readable: boolean
}

export interface RevisionCounts {
  created: number
  updated: number
  deleted: number
}

export interface AnnotationDiff {
  from: number
  to: number
  created: AnnotationObjects
  updated: ChangedObjects
  deleted: AnnotationObjects
}

export interface AnnotationObjects {
  tags: Tag[]
  shapes: Shape[]
  tracks: Track[]
}

export interface ChangedObjects {
  tags: ChangedTag[]
  shapes: ChangedShape[]
  tracks: ChangedTrack[]
}

export interface ChangedTag {
  before: Tag
  after: Tag
}

export interface ChangedShape {
  before: Shape
  after: Shape
}

export interface ChangedTrack {
  before: Track
  after: Track
}

export interface RequestPage {
  count: number
  next: string | null
  previous: string | null
  results: Request[]
}

export interface Request {
  id: string
  status: "queued" | "started" | "finished" | "failed"
  message: string
  operation: RequestOperation
  progress: number
  queue_position: number | null
  eta_seconds: number | null
  bytes_done: number | null
  bytes_total: number | null
  items_done: number | null
  items_total: number | null
  attempt: number
  created_date: string
  started_date: string | null
  finished_date: string | null
  expiry_date: string | null
  owner: RequestOwner
  result_url: string | null
  result_id: number | null
  report: Report | null
}

export interface RequestOperation {
  type: string
  target: string
  project_id: number | null
  task_id: number | null
  job_id: number | null
  org_id: number | null
  format: string | null
  function_id: string | null
  lightweight: boolean | null
}

export interface RequestOwner {
  id: number
  username: string
}

export interface Report {
  created: { tags: number; shapes: number; tracks: number }
  skipped: number
  converted: number
  dropped: number
  entries: { kind: string; code: string; count: number; reason: string; examples: { file: string; item: string }[] }[]
}

export interface TaskMediaStatus {
  state: "Queued" | "Started" | "Finished" | "Failed"
  message: string
  progress: number
}

export interface RqId {
  rq_id: string
}

export interface UploadState {
  filename: string
  length: number
  offset: number
  expires_date: string
}

export interface DataParameters {
  image_quality?: number
  chunk_size?: number
  validation_params?: ValidationParams
  job_file_mapping?: string[][]
  job_count?: number
  sorting_method?: "lexicographical" | "natural" | "predefined" | "random"
  upload_file_order?: string[]
  server_files?: string[]
  server_files_exclude?: string[]
  remote_files?: string[]
  cloud_storage_id?: number
  filename_pattern?: string
  copy_data?: boolean
  start_frame?: number
  stop_frame?: number
  frame_filter?: string
  use_zip_chunks?: boolean
  use_cache?: boolean
  storage_method?: "file_system" | "cache"
}

export interface ValidationParams {
  mode: "gt" | "gt_pool"
  frame_selection_method: "random_uniform" | "random_per_job" | "manual"
  frame_count?: number | null
  frame_share?: number | null
  frames_per_job_count?: number | null
  frames_per_job_share?: number | null
  random_seed?: number | null
  frames?: string[]
}

export interface QueryId {
  query_id: string
}

export interface WebhookPage {
  count: number
  next: string | null
  previous: string | null
  results: Webhook[]
}

export interface Webhook {
  url: string
  id: number
  target_url: string
  description: string
  type: "organization" | "project"
  project_id: number | null
  organization: number | null
  events: string
  events_list: string[]
  content_type: "application/json"
  has_secret: boolean
  is_active: boolean
  enable_ssl: boolean
  dialect: "service" | "cvat"
  owner: BasicUser | null
  owner_left_date?: string
  created_date: string
  updated_date: string
  disabled_reason?: string
  last_status?: number
  last_delivery_date?: string
}

export interface WebhookCreate {
  target_url: string
  description?: string
  events: string
  content_type?: string
  secret?: string
  is_active?: boolean
  enable_ssl?: boolean
  dialect?: "service" | "cvat"
  type: "organization" | "project"
  project_id?: number | null
}

export interface WebhookPatch {
  target_url?: string
  description?: string
  events?: string
  content_type?: string
  secret?: string
  is_active?: boolean
  enable_ssl?: boolean
  dialect?: "service" | "cvat"
}

export interface WebhookPut {
  target_url: string
  description?: string
  events: string
  content_type?: string
  secret?: string
  is_active?: boolean
  enable_ssl?: boolean
  dialect?: "service" | "cvat"
}

export interface WebhookEventNames {
  webhook_type: "organization" | "project" | "all"
  events: string[]
}

export interface Delivery {
  id: number
  webhook_id: number
  delivery_id: string
  event: string
  status_code: number | null
  redelivery: boolean
  attempt: number
  request_duration: number | null
  created_date: string
  updated_date: string
  changed_fields: string
  request: unknown
  response: string
}

export interface WebhookSecretRotation {
  secret: string
  overlap_hours?: number
}

export interface DeliveryPage {
  count: number
  next: string | null
  previous: string | null
  results: Delivery[]
}

export interface WebhookRedelivery {
}

export interface WebhookMessagePage {
  count: number
  next: string | null
  previous: string | null
  results: WebhookMessage[]
}

export interface WebhookMessage {
  sequence: number
  event: string
  created_date: string
  payload: unknown
  state: "pending" | "delivered" | "failed"
  attempts: number
}

export interface WebhookMessagesToRedeliver {
  from?: number
  to?: number
  failed_since?: string
}

export interface WebhookMessagesRedelivered {
  count: number
}

export interface ClientEvents {
  timestamp: string
  events?: ClientEvent[]
  previous_event?: ClientEvent | null
}

export interface ClientEvent {
  scope: string
  obj_name?: string | null
  obj_id?: number | null
  obj_val?: string | null
  timestamp: string
  count?: number | null
  duration?: number
  project_id?: number | null
  task_id?: number | null
  job_id?: number | null
  payload?: string | null
}

export interface AcceptedEvents {
  timestamp: string
  events: AcceptedEvent[]
}

export interface AcceptedEvent {
  scope: string
  obj_name: string | null
  obj_id: number | null
  obj_val: string | null
  source: string
  timestamp: string
  count: number | null
  duration: number
  project_id: number | null
  task_id: number | null
  job_id: number | null
  user_id: number
  user_name: string
  user_email: string
  org_id: number | null
  org_slug: string | null
  payload: string | null
}

export interface AnnotationSetWrite {
  version?: number
  tags?: TagWrite[]
  shapes?: ShapeWrite[]
  tracks?: TrackWrite[]
}

export interface TagWrite {
  id?: number | null
  frame: number
  label_id: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes?: { spec_id: number; value: string }[]
}

export interface ShapeWrite {
  id?: number | null
  frame: number
  label_id: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  type: "rectangle" | "polygon" | "polyline" | "points" | "ellipse" | "cuboid" | "mask" | "skeleton"
  score?: number
  occluded?: boolean
  outside?: boolean
  z_order?: number
  rotation?: number
  points?: number[]
  attributes?: { spec_id: number; value: string }[]
  elements?: ShapeElementWrite[]
}

export interface ShapeElementWrite {
  id?: number | null
  frame: number
  label_id: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  type: "rectangle" | "polygon" | "polyline" | "points" | "ellipse" | "cuboid" | "mask" | "skeleton"
  score?: number
  occluded?: boolean
  outside?: boolean
  z_order?: number
  rotation?: number
  points?: number[]
  attributes?: { spec_id: number; value: string }[]
}

export interface TrackWrite {
  id?: number | null
  frame: number
  label_id: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes?: { spec_id: number; value: string }[]
  shapes: TrackShapeWrite[]
  elements?: TrackElementWrite[]
}

export interface TrackShapeWrite {
  id?: number | null
  type: "rectangle" | "polygon" | "polyline" | "points" | "ellipse" | "cuboid" | "mask" | "skeleton"
  frame: number
  keyframe?: boolean
  occluded?: boolean
  outside?: boolean
  z_order?: number
  rotation?: number
  points?: number[]
  attributes?: { spec_id: number; value: string }[]
}

export interface TrackElementWrite {
  id?: number | null
  frame: number
  label_id: number
  group?: number | null
  source?: "manual" | "auto" | "semi-auto" | "file" | "consensus"
  attributes?: { spec_id: number; value: string }[]
  shapes: TrackShapeWrite[]
}
