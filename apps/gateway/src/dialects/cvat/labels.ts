import type { Fields } from '../dialect.ts'

/** Labels are read at an address of their own. */
export const linkedLabels = (
  record: Fields,
  owner: 'project_id' | 'task_id',
  base: string,
): Fields => ({ ...record, labels: { url: `${base}/labels?${owner}=${record.id}` } })
