import type { Report } from '@reticle/contracts/rest/requests'
import { keyOfAll } from '@reticle/kit/blob/spread'
import { type Kysely, sql, type Transaction } from 'kysely'
import { addChunk } from '../chunks/repo.ts'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { goesElsewhere } from '../locations/elsewhere.ts'
import { registerDead } from '../objects/repo.ts'
import { afterEnd, endColumns } from '../requests/ending.ts'
import {
  extendLife,
  lockCached,
  lockTenant,
  type RequestChanges,
  sharedFile,
  sharedResult,
} from '../requests/repo.ts'
import type { Outcome } from '../requests/work.ts'
import { held, isLost } from './lease.ts'

type Db = Kysely<RequestsDb>
type Tx = Transaction<RequestsDb>

/** The end of a request that worked: fenced, with everything that follows, in one transaction. False: the lease is lost. */
export function finish(db: Db, row: RequestRow, outcome: Outcome, ttl: number): Promise<boolean> {
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

/** Not every piece is reported, so the last report may be of less than all. */
const allDone = {
  items_done: sql<number | null>`coalesce(items_total, items_done)`,
  bytes_done: sql<number | null>`coalesce(bytes_total, bytes_done)`,
}

async function keepChunk(tx: Tx, { task_id }: RequestRow, { chunk }: Outcome): Promise<void> {
  if (!chunk || task_id === null) return
  const { key: object_key, name, data_revision, size, checksum } = chunk
  await addChunk(tx, { task_id, name, data_revision }, { object_key, size, checksum })
}

/**
 * The end of a request that failed: `message` is one sentence for its owner, `report` has the entries noted before. `isUndone` says
 * that no attempt can have had an effect. False: the lease is lost.
 */
export function fail(
  db: Db,
  row: RequestRow,
  message: string,
  ttl: number,
  { isUndone = false, report }: { isUndone?: boolean; report?: Report } = {},
): Promise<boolean> {
  const changes = {
    ...endColumns(row, 'failed', ttl),
    ...(isUndone && { has_applied: false }),
    ...(report && { report: JSON.stringify(report) }),
    message,
  }
  return endHeld(db, row, changes)
}

/** The end of one whose last worker was lost. False: that worker has it after all, or another was first. */
export const failLost = (db: Db, row: RequestRow, message: string, ttl: number): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    await lockTenant(tx, row.tenant)
    return end(tx, held(tx, row).where(isLost), { ...endColumns(row, 'failed', ttl), message })
  })

/** The end of a claimed request whose file another has made meanwhile. False: there is none, or it has to go elsewhere. */
export async function finishFromTwin(db: Db, row: RequestRow, ttl: number): Promise<boolean> {
  const { cache_key } = row
  if (cache_key === null || goesElsewhere(row.params)) return false
  return db.transaction().execute(async (tx) => {
    await lockTenant(tx, row.tenant)
    const twin = await lockCached(tx, cache_key)
    if (!twin) return false
    await extendLife(tx, twin, ttl * 3600)
    const changes = { ...endColumns(row, 'finished', ttl), ...sharedResult(twin) }
    return end(tx, held(tx, row), changes)
  })
}

/** A claimed request that has to go elsewhere, with the file that another has made meanwhile where there is one. */
export async function withTwinFile(db: Db, row: RequestRow): Promise<RequestRow> {
  const { cache_key, result_key } = row
  if (cache_key === null || result_key !== null || !goesElsewhere(row.params)) return row
  return db.transaction().execute(async (tx) => {
    await lockTenant(tx, row.tenant)
    const twin = await lockCached(tx, cache_key)
    if (!twin) return row
    const changes = sharedFile(twin)
    return (await held(tx, row).set(changes).returningAll().executeTakeFirst()) ?? row
  })
}

/** The last write of a worker, and what follows it. False: the lease is lost. */
function endHeld(
  db: Db,
  row: RequestRow,
  changes: RequestChanges,
  also?: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockTenant(tx, row.tenant)
    const isOver = await end(tx, held(tx, row), changes)
    if (isOver) await also?.(tx)
    return isOver
  })
}

async function end(
  tx: Tx,
  mine: ReturnType<typeof held>,
  changes: RequestChanges,
): Promise<boolean> {
  const over = await mine.set(changes).returningAll().executeTakeFirst()
  if (over) await afterEnd(tx, over)
  return over !== undefined
}
