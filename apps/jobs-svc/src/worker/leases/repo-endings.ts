import type { RequestReport } from '@reticle/contracts/rest/requests'
import { keyOfAll } from '@reticle/kit/blob/spread'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { RequestRow, RequestsDb } from '../../db/schema.ts'
import {
  extendLife,
  lockCached,
  lockTenant,
  type RequestChanges,
  sharedFile,
  sharedResult,
} from '../../requests/repo.ts'
import { afterEnd, endColumns } from '../../requests/repo-ending.ts'
import { addChunk } from '../../storage/repo-chunks.ts'
import { registerDead } from '../../storage/repo-objects.ts'
import type { OperationOutcome } from '../../work/request-work.ts'
import { writesToCloudStorage } from '../../work/request-work.ts'
import { isLost, updateLeased } from './repo-leases.ts'

type Db = Kysely<RequestsDb>
type Tx = Transaction<RequestsDb>

/** Finishes a successful request and its follow-up work in one transaction. Returns false when the lease is lost. */
export function finishRequest(
  db: Db,
  row: RequestRow,
  outcome: OperationOutcome,
  ttl: number,
): Promise<boolean> {
  const { result, result_id, report } = outcome
  const changes = {
    ...endColumns(row, 'finished', ttl),
    progress: 1,
    ...allDone,
    report: JSON.stringify(report),
    ...(result && { result_key: result.key, result_size: result.size }),
    result_id,
  }
  return endHeld(db, row, changes, async (tx) => {
    await keepChunk(tx, row, outcome)
    await registerDead(tx, (outcome.spare ?? []).map(keyOfAll))
  })
}

/** Progress reports are throttled, so the last one may name less than the total. */
const allDone = {
  items_done: sql<number | null>`coalesce(items_total, items_done)`,
  bytes_done: sql<number | null>`coalesce(bytes_total, bytes_done)`,
}

async function keepChunk(
  tx: Tx,
  { task_id }: RequestRow,
  { chunk }: OperationOutcome,
): Promise<void> {
  if (!chunk || task_id === null) return
  const { key: object_key, name, data_revision, size, checksum } = chunk
  await addChunk(tx, { task_id, name, data_revision }, { object_key, size, checksum })
}

/**
 * Ends a failed request. `message` is one sentence for its owner; `report` holds the entries noted so far; `isUndone`
 * means that no attempt can have had an effect. Returns false when the lease is lost.
 */
export function failRequest(
  db: Db,
  row: RequestRow,
  message: string,
  ttl: number,
  { isUndone = false, report }: { isUndone?: boolean; report?: RequestReport } = {},
): Promise<boolean> {
  const changes = {
    ...endColumns(row, 'failed', ttl),
    ...(isUndone && { has_applied: false }),
    ...(report && { report: JSON.stringify(report) }),
    message,
  }
  return endHeld(db, row, changes)
}

/**
 * Fails a request whose worker was lost in the last attempt. Returns false when the lease was renewed or another caller
 * was first.
 */
export const failLost = (db: Db, row: RequestRow, message: string, ttl: number): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    await lockTenant(tx, row.tenant)
    return end(tx, updateLeased(tx, row).where(isLost), {
      ...endColumns(row, 'failed', ttl),
      message,
    })
  })

/**
 * Finishes a claimed request from a result that another request has made meanwhile. Returns false when no such result
 * exists, or when this request has to be transferred to a cloud storage.
 */
export async function finishFromTwin(db: Db, row: RequestRow, ttl: number): Promise<boolean> {
  const { cache_key } = row
  if (cache_key === null || writesToCloudStorage(row.params)) return false
  return db.transaction().execute(async (tx) => {
    await lockTenant(tx, row.tenant)
    const twin = await lockCached(tx, cache_key)
    if (!twin) return false
    await extendLife(tx, twin, ttl * 3600)
    const changes = { ...endColumns(row, 'finished', ttl), ...sharedResult(twin) }
    return end(tx, updateLeased(tx, row), changes)
  })
}

/**
 * Adds the file that another request has made meanwhile, if any, to a claimed request that is transferred to a cloud
 * storage.
 */
export async function withTwinFile(db: Db, row: RequestRow): Promise<RequestRow> {
  const { cache_key, result_key } = row
  if (cache_key === null || result_key !== null || !writesToCloudStorage(row.params)) return row
  return db.transaction().execute(async (tx) => {
    await lockTenant(tx, row.tenant)
    const twin = await lockCached(tx, cache_key)
    if (!twin) return row
    const changes = sharedFile(twin)
    return (await updateLeased(tx, row).set(changes).returningAll().executeTakeFirst()) ?? row
  })
}

/** Writes the end of a request for its worker, with the follow-up work. Returns false when the lease is lost. */
function endHeld(
  db: Db,
  row: RequestRow,
  changes: RequestChanges,
  also?: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockTenant(tx, row.tenant)
    const isOver = await end(tx, updateLeased(tx, row), changes)
    if (isOver) await also?.(tx)
    return isOver
  })
}

async function end(
  tx: Tx,
  mine: ReturnType<typeof updateLeased>,
  changes: RequestChanges,
): Promise<boolean> {
  const over = await mine.set(changes).returningAll().executeTakeFirst()
  if (over) await afterEnd(tx, over)
  return over !== undefined
}
