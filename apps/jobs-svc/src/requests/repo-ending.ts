import { requestFinished } from '@reticle/contracts/events/requests'
import { principal } from '@reticle/contracts/rest/principal'
import { emit } from '@reticle/kit/outbox/emit'
import { sql, type Transaction } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { makeDead, makeLive } from '../storage/repo-objects.ts'
import { endSession, renewSession } from '../storage/repo-sessions.ts'
import { toRequest } from './messages.ts'
import { deleteMembers, endRequest } from './repo.ts'

type Tx = Transaction<RequestsDb>

const hour = 3600
const month = 30 * 24 * hour

/** Returns for how many seconds the record of an ended request is kept. */
function lifeOf(
  { action }: Pick<RequestRow, 'action'>,
  status: 'finished' | 'failed',
  ttl: number,
) {
  if (action === 'export') return ttl * hour
  return status === 'finished' ? hour : month
}

/** Returns the columns of an ended request. `ttl` is the lifetime of results in hours. */
export function endColumns(
  row: Pick<RequestRow, 'action'>,
  status: 'finished' | 'failed',
  ttl: number,
) {
  const seconds = lifeOf(row, status, ttl)
  return {
    status,
    stage: '',
    lease_owner: null,
    lease_until: null,
    not_before_date: null,
    checkpoint: null,
    finished_date: sql<Date>`now()`,
    expiry_date: sql<Date>`now() + make_interval(secs => ${seconds})`,
  }
}

/** Fails a locked request from outside. Raises its lease token, so that its worker can no longer write and stops. */
export async function failLocked(
  tx: Tx,
  row: RequestRow,
  message: string,
  ttl: number,
): Promise<void> {
  const over = await endRequest(tx, row, { ...endColumns(row, 'failed', ttl), message })
  await afterEnd(tx, over)
}

/**
 * Does the follow-up of every end in the same transaction, with the tenant locked: releases the files and emits the
 * event.
 */
export async function afterEnd(tx: Tx, row: RequestRow): Promise<void> {
  await settleFiles(tx, row)
  await deleteMembers(tx, row.request_uuid)
  const { tenant, request_uuid, org_id: organization_id } = row
  const cause = {
    principal: principal.parse(row.principal),
    request_id: request_uuid,
    organization_id,
    traceparent: row.traceparent ?? undefined,
  }
  await emit(tx, requestFinished, { tenant, request_uuid, request: toRequest(row) }, cause)
}

/**
 * Releases the files of an ended request. Files of a creation that succeeded, or may have, become media of the task.
 * Files of a data-upload session stay for the next attempt. All other uploads are deleted.
 */
async function settleFiles(tx: Tx, row: RequestRow): Promise<void> {
  const { action, status, has_applied, task_id, org_id: organization_id } = row
  if (row.result_key !== null)
    await makeLive(tx, row.result_key, { size: row.result_size, organization_id })
  if (row.input_key === null) return
  const isMedia = action === 'create' && (status === 'finished' || has_applied)
  if (isMedia) {
    await makeLive(tx, row.input_key, { kind: 'media', task_id, organization_id })
    await endSession(tx, row.input_key, row.target_id)
  } else if (!(await renewSession(tx, row.input_key))) await makeDead(tx, row.input_key)
}
