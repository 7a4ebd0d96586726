import { requestFinished } from '@reticle/contracts/events/requests'
import { principal } from '@reticle/contracts/principal'
import { emit } from '@reticle/kit/outbox/emit'
import { sql, type Transaction } from 'kysely'
import { deleteMembers } from '../checkpoints/repo.ts'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { makeDead, makeLive } from '../objects/repo.ts'
import { endSession, keepSession } from '../sessions/repo.ts'
import { toRequest } from './messages.ts'
import { endRequest } from './repo.ts'

type Tx = Transaction<RequestsDb>

const hour = 3600
const month = 30 * 24 * hour

/** Seconds that a record is kept after its end (`spec/api-annotations.md` 2.6). */
function lifeOf(
  { action }: Pick<RequestRow, 'action'>,
  status: 'finished' | 'failed',
  ttl: number,
) {
  if (action === 'export') return ttl * hour
  return status === 'finished' ? hour : month
}

/** Columns of a row that has come to its end. `ttl`: hours that results live. */
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

/** Ends a locked request from outside: the token is raised, so its worker stops and can write nothing any more. */
export async function failLocked(
  tx: Tx,
  row: RequestRow,
  message: string,
  ttl: number,
): Promise<void> {
  const over = await endRequest(tx, row, { ...endColumns(row, 'failed', ttl), message })
  await afterEnd(tx, over)
}

/** What follows every end, in its transaction, with the tenant locked: the fate of its files, and the event. */
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
 * Files of a creation that succeeded, or may have, are the task's media and go with it. Those of a session wait for the next
 * attempt; all other uploads have served their time.
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
  } else if (!(await keepSession(tx, row.input_key))) await makeDead(tx, row.input_key)
}
