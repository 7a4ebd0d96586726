import { principal } from '@reticle/contracts/rest/principal'
import { type Request, report, type TaskStatus } from '@reticle/contracts/rest/requests'
import { z } from 'zod'
import type { RequestRow } from '../db/schema.ts'
import { writesToCloudStorage } from '../work/request-work.ts'

const reportOrNull = report.nullable()

/** Row of a request with its position in the queue, null unless it is queued. */
export interface ShownRow extends RequestRow {
  queue_position?: number | null
}

/** Formats the record of a request. Its fields: docs/spec/requests.md#request-records */
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
    bytes_done,
    bytes_total,
    items_done,
    items_total,
    attempt,
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

const minReliableShare = 0.05
const minReliableMs = 5000

/** Estimates the remaining seconds from the speed so far; null unless 5 % is done or 5 s have passed. */
function secondsLeft({ status, progress, started_date }: RequestRow, now: number): number | null {
  if (status !== 'started' || started_date === null || progress === 0) return null
  const spent = Math.max(0, now - started_date.getTime())
  if (progress < minReliableShare && spent < minReliableMs) return null
  return Math.round((spent * (1 - progress)) / progress / 1000)
}

const states = {
  queued: 'Queued',
  started: 'Started',
  finished: 'Finished',
  failed: 'Failed',
} as const

/**
 * Returns the status of the request that makes the media of a task, in the deprecated form. Without a request, it is
 * finished.
 */
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

/** Parameters of a request that its record shows. */
const backupParams = z.object({ lightweight: z.boolean().optional() })

function operationOf(row: RequestRow): Request['operation'] {
  const { action, subresource, target, project_id, task_id, job_id, org_id, format } = row
  const type = action === 'create' ? 'create:task' : `${action}:${subresource ?? target}`
  const { lightweight = null } = backupParams.parse(row.params)
  const more = { function_id: null, lightweight }
  return { type, target, project_id, task_id, job_id, org_id, format, ...more }
}

function resultUrl(row: RequestRow): string | null {
  const { result_key, params, subresource, target, target_id, rq_id } = row
  if (result_key === null || writesToCloudStorage(params)) return null
  const what = subresource === 'backup' ? 'backup' : 'dataset'
  const place = target === 'events' ? '/events' : `/${target}s/${target_id}/${what}`
  return `${place}/download?rq_id=${encodeURIComponent(rq_id)}`
}
