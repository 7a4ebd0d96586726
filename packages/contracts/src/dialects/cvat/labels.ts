import type { RecordFields } from '../record.ts'

/** Replaces the labels of a record by a link to them. */
export const linkedLabels = (
  record: RecordFields,
  owner: 'project_id' | 'task_id',
  base: string,
): RecordFields => ({ ...record, labels: { url: `${base}/labels?${owner}=${record.id}` } })
