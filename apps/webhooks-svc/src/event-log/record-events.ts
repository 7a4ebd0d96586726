import { z } from 'zod'
import type { Told } from './server-events.ts'

/** What is told of the records of resources (`spec/api-workspace.md` 6.2), whatever the resource. */

const ids = z.looseObject({
  id: z.int().nullish().catch(null),
  project_id: z.int().nullish().catch(null),
  task_id: z.int().nullish().catch(null),
  job_id: z.int().nullish().catch(null),
})

/** Moves with every change and is none of its own. */
const followed = 'updated_date'

export interface RecordChange {
  action: 'create' | 'update' | 'delete'
  /** As scopes call it: `task`. */
  resource: string
  record: Record<string, unknown>
  /** What the fact says beside the record: where an issue is, which it does not tell itself. */
  around?: Record<string, unknown>
  /** Old values of the changed fields of an update. */
  before?: Record<string, unknown>
}

/** One event of a creation or deletion, with the record; of an update one for every field that changed. */
export function recordEvents({
  action,
  resource,
  record,
  around = {},
  before = {},
}: RecordChange): Told[] {
  const scope = `${action}:${resource}`
  const place = placeOf(resource, { ...around, ...record })
  if (action !== 'update') return [{ scope, ...place, payload: record }]
  const changed = Object.entries(before).filter(([name]) => name !== followed)
  return changed.map(([obj_name, old_value]) => ({
    scope,
    ...place,
    obj_name,
    obj_val: asText(record[obj_name]),
    payload: { old_value },
  }))
}

/** Its own id, and those of what it is part of. A project, task or job is what its own column names, too. */
function placeOf(resource: string, record: Record<string, unknown>) {
  const { id = null, project_id = null, task_id = null, job_id = null } = ids.parse(record)
  const place = { obj_id: id, project_id, task_id, job_id }
  if (resource === 'project' || resource === 'task' || resource === 'job')
    return { ...place, [`${resource}_id`]: id }
  return place
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
