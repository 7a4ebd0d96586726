/** Owner of labels and storages. */
export interface Owner {
  kind: 'project' | 'task'
  id: number
}

/** Returns the key of an owner in maps that contain both kinds. */
export const ownerKey = ({ kind, id }: Owner) => `${kind}:${id}`

/** Returns the columns `project_id` and `task_id` of a row with this owner; exactly one is not null. */
export const ownerColumns = ({ kind, id }: Owner) => ({
  project_id: kind === 'project' ? id : null,
  task_id: kind === 'task' ? id : null,
})

/** Returns the owner that these columns name. */
export function ownerOf(row: { project_id: number | null; task_id: number | null }): Owner {
  if (row.project_id !== null) return { kind: 'project', id: row.project_id }
  return { kind: 'task', id: row.task_id ?? 0 }
}
