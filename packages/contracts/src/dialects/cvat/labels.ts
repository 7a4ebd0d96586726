import type { Fields } from '../record.ts'

/** Replaces the labels of a record by a link to them. */
export const linkedLabels = (
  record: Fields,
  owner: 'project_id' | 'task_id',
  base: string,
): Fields => ({ ...record, labels: { url: `${base}/labels?${owner}=${record.id}` } })
