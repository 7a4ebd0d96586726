import { requestFinished } from '@reticle/contracts/events/requests'
import { principal } from '@reticle/contracts/principal'
import { emit } from '@reticle/kit/outbox/emit'
import type { Kysely, Transaction } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { ended, endLease, endRequest, type RequestChanges } from '../leases/lease.ts'
import { makeDead, makeLive } from '../objects/repo.ts'
import { toRequest } from './messages.ts'
import { extendLife, findCached, lockTenant, sharedResult } from './repo.ts'
import type { Outcome } from './work.ts'

type Db = Kysely<RequestsDb>
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
export const endColumns = (
  row: Pick<RequestRow, 'action'>,
  status: 'finished' | 'failed',
  ttl: number,
) => ended(status, lifeOf(row, status, ttl))

/** The end of a request that worked: fenced, with everything that follows, in one transaction. False: the lease is lost. */
export function finish(db: Db, row: RequestRow, outcome: Outcome, ttl: number): Promise<boolean> {
  const { result, result_id, report } = outcome
  return endHeld(db, row, {
    ...endColumns(row, 'finished', ttl),
    progress: 1,
    report: JSON.stringify(report),
    ...(result && { result_key: result.key, result_size: result.size }),
    result_id,
  })
}

/**
 * The end of a request that did not: `message` is one sentence for its owner. `isUndone` says that no attempt can have had
 * an effect. False: the lease is lost.
 */
export function fail(
  db: Db,
  row: RequestRow,
  message: string,
  ttl: number,
  isUndone = false,
): Promise<boolean> {
  const undone = isUndone ? { has_applied: false } : {}
  return endHeld(db, row, { ...endColumns(row, 'failed', ttl), ...undone, message })
}

/** The end of a claimed request whose file another has made meanwhile. False: there is none. */
export async function finishFromTwin(db: Db, row: RequestRow, ttl: number): Promise<boolean> {
  const twin = row.cache_key === null ? undefined : await findCached(db, row.cache_key)
  if (!twin) return false
  await extendLife(db, twin, ttl * hour)
  return endHeld(db, row, { ...endColumns(row, 'finished', ttl), ...sharedResult(twin) })
}

function endHeld(db: Db, row: RequestRow, changes: RequestChanges): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockTenant(tx, row.tenant)
    const over = await endLease(tx, row, changes)
    if (over) await afterEnd(tx, over)
    return over !== undefined
  })
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
 * Files of a creation that succeeded, or may have, are the task's media and go with it; all other uploads have served their
 * time.
 */
async function settleFiles(tx: Tx, row: RequestRow): Promise<void> {
  const { action, status, has_applied, task_id, org_id: organization_id } = row
  if (row.result_key !== null)
    await makeLive(tx, row.result_key, { size: row.result_size, organization_id })
  if (row.input_key === null) return
  const isMedia = action === 'create' && (status === 'finished' || has_applied)
  if (isMedia) await makeLive(tx, row.input_key, { kind: 'media', task_id, organization_id })
  else await makeDead(tx, row.input_key)
}
