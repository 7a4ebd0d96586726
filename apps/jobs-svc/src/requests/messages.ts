import { principal } from '@reticle/contracts/principal'
import { type Request, report, type TaskStatus } from '@reticle/contracts/rest/requests'
import { z } from 'zod'
import type { RequestRow } from '../db/schema.ts'
import { goesElsewhere } from '../locations/elsewhere.ts'

const reportOrNull = report.nullable()

/** A request as it is read: one that waits knows how many come before it. */
export interface ShownRow extends RequestRow {
  queue_position?: number | null
}

/** The record of a request (`spec/api-annotations.md` 2.6, `spec/extensions.md` 5). */
export function toRequest(row: ShownRow): Request {
  const owner = principal.parse(row.principal)
  const { queue_position = null, bytes_done, bytes_total, items_done, items_total, attempt } = row
  return {
    id: row.rq_id,
    status: row.status,
    message: messageOf(row),
    operation: operationOf(row),
    progress: row.status === 'finished' ? 1 : row.progress,
    queue_position,
    eta_seconds: secondsLeft(row, Date.now()),
    ...{ bytes_done, bytes_total, items_done, items_total, attempt },
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

const tellingShare = 0.05
const tellingMs = 5000

/** As long as it will take if it goes on as it did; nothing before 5 % or 5 s. */
function secondsLeft({ status, progress, started_date }: RequestRow, now: number): number | null {
  if (status !== 'started' || started_date === null || progress === 0) return null
  const spent = Math.max(0, now - started_date.getTime())
  if (progress < tellingShare && spent < tellingMs) return null
  return Math.round((spent * (1 - progress)) / progress / 1000)
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

/** What the record shows of what was asked for. */
const told = z.object({ lightweight: z.boolean().optional() })

function operationOf(row: RequestRow): Request['operation'] {
  const { action, subresource, target, project_id, task_id, job_id, org_id, format } = row
  const type = action === 'create' ? 'create:task' : `${action}:${subresource ?? target}`
  const { lightweight = null } = told.parse(row.params)
  const more = { function_id: null, lightweight }
  return { type, target, project_id, task_id, job_id, org_id, format, ...more }
}

function resultUrl(row: RequestRow): string | null {
  const { result_key, params, subresource, target, target_id, rq_id } = row
  if (result_key === null || goesElsewhere(params)) return null
  const what = subresource === 'backup' ? 'backup' : 'dataset'
  const place = target === 'events' ? '/events' : `/${target}s/${target_id}/${what}`
  return `${place}/download?rq_id=${encodeURIComponent(rq_id)}`
}
