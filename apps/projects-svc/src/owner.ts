/** What labels and storages belong to. */
export interface Owner {
  kind: 'project' | 'task'
  id: number
}

/** Key of an owner in maps that hold both kinds. */
export const ownerKey = ({ kind, id }: Owner) => `${kind}:${id}`

/** The columns `project_id` and `task_id` of what belongs to an owner: exactly one is not null. */
export const ownerColumns = ({ kind, id }: Owner) => ({
  project_id: kind === 'project' ? id : null,
  task_id: kind === 'task' ? id : null,
})

/** The owner that such columns name. */
export function ownerOf(row: { project_id: number | null; task_id: number | null }): Owner {
  if (row.project_id !== null) return { kind: 'project', id: row.project_id }
  return { kind: 'task', id: row.task_id ?? 0 }
}
