import { type Change, isFields } from '../record.ts'
import { knownEventsIn } from './events.ts'
import { formatName } from './format-names.ts'
import { knownFields, withKnownFields } from './known-fields.ts'
import { linkedLabels } from './labels.ts'
import { originalChunks, overlapOf } from './videos.ts'

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
