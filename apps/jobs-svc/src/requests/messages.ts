import { principal } from '@reticle/contracts/principal'
import { type Request, report, type TaskStatus } from '@reticle/contracts/rest/requests'
import type { RequestRow } from '../db/schema.ts'

const reportOrNull = report.nullable()

/** The record of a request (`spec/api-annotations.md` 2.6). */
export function toRequest(row: RequestRow): Request {
  const owner = principal.parse(row.principal)
  return {
    id: row.rq_id,
    status: row.status,
    message: messageOf(row),
    operation: operationOf(row),
    progress: row.status === 'finished' ? 1 : row.progress,
    created_date: row.created_date.toISOString(),
    started_date: isoOrNull(row.started_date),
    finished_date: isoOrNull(row.finished_date),
    expiry_date: isoOrNull(row.expiry_date),
    owner: { id: owner.user_id, username: owner.username },
    result_url: resultUrl(row),
    result_id: row.result_id,
    report: reportOrNull.parse(row.report),
  }
}

const states = {
  queued: 'Queued',
  started: 'Started',
  finished: 'Finished',
  failed: 'Failed',
} as const

/** The request that makes the media of a task, in the older form; a task that knows of none is done. */
export function toTaskStatus(row: RequestRow | undefined): TaskStatus {
  if (!row) return { state: 'Finished', message: '', progress: 0 }
  const { status, progress } = row
  return {
    state: states[status],
    message: messageOf(row),
    progress: status === 'finished' ? 1 : progress,
  }
}

const isoOrNull = (date: Date | null) => (date === null ? null : date.toISOString())

function messageOf({ status, stage, message }: RequestRow): string {
  if (status === 'started') return stage
  return status === 'failed' ? message : ''
}

function operationOf(row: RequestRow): Request['operation'] {
  const { action, subresource, target, project_id, task_id, job_id, org_id, format } = row
  const type = action === 'create' ? 'create:task' : `${action}:${subresource ?? target}`
  const later = { function_id: null, lightweight: null }
  return { type, target, project_id, task_id, job_id, org_id, format, ...later }
}

function resultUrl({ result_key, target, target_id, rq_id }: RequestRow): string | null {
  if (result_key === null) return null
  const place = target === 'events' ? '/events' : `/${target}s/${target_id}/dataset`
  return `${place}/download?rq_id=${encodeURIComponent(rq_id)}`
}
