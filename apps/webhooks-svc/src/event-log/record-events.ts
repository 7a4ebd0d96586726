import { z } from 'zod'
import type { LogEvent } from './server-events.ts'

/** Log events about records of any resource (docs/spec/workspace.md#event-log). */

const ids = z.looseObject({
  id: z.int().nullish().catch(null),
  project_id: z.int().nullish().catch(null),
  task_id: z.int().nullish().catch(null),
  job_id: z.int().nullish().catch(null),
})

/** Changes with every update, so it is not logged as a change. */
const followed = 'updated_date'

export interface RecordChange {
  action: 'create' | 'update' | 'delete'
  /** Resource as in scopes: `task`. */
  resource: string
  record: Record<string, unknown>
  /** Other fields of the event, such as the location of an issue, which its record does not contain. */
  around?: Record<string, unknown>
  /** Old values of the changed fields of an update. */
  before?: Record<string, unknown>
}

/** Returns one event with the record for a creation or deletion, and one event per changed field for an update. */
export function recordEvents({
  action,
  resource,
  record,
  around = {},
  before = {},
}: RecordChange): LogEvent[] {
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

/**
 * Returns the id of the record and of the resources that contain it. A project, task or job is also its own project,
 * task or job.
 */
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
