import { type Change, isFields, type RecordFields } from '../record.ts'
import { knownEventsIn } from './events.ts'
import { formatName } from './format-names.ts'
import { knownFields, withKnownFields } from './known-fields.ts'

/** Records of the dialect `cvat`, in responses and in payloads of webhooks. */

export const project = withKnownFields('project', (record, base) =>
  linkedLabels(record, 'project_id', base),
)

/** The CVAT model does not allow null for the id of media. */
export const task = withKnownFields('task', ({ data, ...record }, base) => {
  const status = record.status === 'new' ? 'annotation' : record.status
  return {
    ...linkedLabels(record, 'task_id', base),
    ...originalChunks(record),
    status,
    overlap: overlapOf(record),
    ...(data !== null && { data }),
  }
})

/** In CVAT the bug tracker of a job is that of its task or project, or null. */
export const job = withKnownFields('job', ({ bug_tracker, ...record }) => ({
  ...record,
  ...originalChunks(record),
  bug_tracker: bug_tracker === '' && record.project_id === null ? null : bug_tracker,
}))

export const invitation = withKnownFields('invitation')

export const webhook = withKnownFields('webhook', ({ events_list, ...record }) => ({
  ...record,
  events: knownEventsIn(events_list),
}))

export const request = withKnownFields('request', ({ operation, ...record }) => ({
  ...record,
  operation: isFields(operation)
    ? knownFields('operation', { ...operation, format: formatName(operation.format) })
    : operation,
}))

/** By the key of the record in a payload. Records of other keys are equal in the service and in the dialect. */
export const recordChanges: ReadonlyMap<string, Change> = new Map(
  Object.entries({ project, task, job, invitation, webhook, request }),
)

/** Replaces the labels of a record by a link to them. */
function linkedLabels(
  record: RecordFields,
  owner: 'project_id' | 'task_id',
  base: string,
): RecordFields {
  return { ...record, labels: { url: `${base}/labels?${owner}=${record.id}` } }
}

/** Clients read single frames of a video if its original chunks are videos. */
function originalChunks({ mode, data_original_chunk_type: type }: RecordFields): RecordFields {
  if (type === undefined) return {}
  return { data_original_chunk_type: mode === 'interpolation' ? 'video' : type }
}

/** Default overlap in frames of the jobs of a video. */
const usualOverlap = 5

/** Returns the overlap. For a video with one job it is the default that several jobs would have. */
function overlapOf({ mode, overlap, size, segment_size }: RecordFields): unknown {
  const isOneJob = mode === 'interpolation' && Number(size) > 0 && segment_size === size
  if (!isOneJob || overlap !== 0) return overlap
  return Math.min(usualOverlap, Math.floor(Number(size) / 2))
}
