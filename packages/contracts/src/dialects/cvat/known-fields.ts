import type { Change, RecordFields } from '../record.ts'

/** Fields of records in the schema of CVAT 2.58 clients. */
const known = {
  project: names(
    'assignee assignee_updated_date bug_tracker created_date dimension guide_id id labels',
    'name organization organization_id owner source_storage status target_storage',
    'task_subsets tasks updated_date url',
  ),
  task: names(
    'assignee assignee_updated_date bug_tracker consensus_enabled created_date data',
    'data_chunk_size data_cloud_storage_id data_compressed_chunk_type',
    'data_original_chunk_type dimension guide_id id image_quality jobs labels mode name',
    'organization organization_id overlap owner project_id segment_size size source_storage',
    'status subset target_storage updated_date url validation_mode',
  ),
  job: names(
    'assignee assignee_updated_date bug_tracker consensus_replicas created_date',
    'data_chunk_size data_compressed_chunk_type data_original_chunk_type dimension',
    'frame_count guide_id id issues labels mode organization parent_job_id project_id',
    'source_storage stage start_frame state status stop_frame target_storage task_id type',
    'updated_date url',
  ),
  invitation: names('created_date expired key organization organization_info owner role user'),
  webhook: names(
    'content_type created_date description enable_ssl events id is_active last_delivery_date',
    'last_status organization owner project_id target_url type updated_date url',
  ),
  delivery: names(
    'changed_fields created_date event id redelivery request response status_code',
    'updated_date webhook_id',
  ),
  request: names(
    'created_date expiry_date finished_date id message operation owner progress result_id',
    'result_url started_date status',
  ),
  operation: names('format function_id job_id lightweight project_id target task_id type'),
  token: names(
    'created_date expiry_date id last_used_date name owner read_only updated_date value',
  ),
  format: names('dimension enabled ext name version'),
} as const

function names(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '))
}

type RecordKind = keyof typeof known

/** Removes fields that CVAT clients do not know. */
export function knownFields(kind: RecordKind, record: RecordFields): RecordFields {
  return Object.fromEntries(Object.entries(record).filter(([name]) => known[kind].has(name)))
}

/** Combines `change` with the removal of fields that CVAT clients do not know. */
export const withKnownFields =
  (kind: RecordKind, change: Change = (record) => record): Change =>
  (...given) =>
    knownFields(kind, change(...given))
