import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { RequestRow, RequestsDb } from '../../db/schema.ts'
import type { Amounts } from '../../work/amounts.ts'

type Db = Kysely<RequestsDb>

/**
 * Right of one worker to write to a request. Each claim issues a new token and every later write names it, so that a
 * worker that lost its lease without noticing cannot write. Only the clock of the database counts. Rules:
 * docs/spec/reliability.md#request-execution
 */
export type RequestLease = Pick<RequestRow, 'request_uuid' | 'lease_token'>

export const leaseSeconds = 60

/** Returns SQL for the end of a lease that is issued or renewed now. */
export const leaseEnd = (seconds = leaseSeconds) =>
  sql<Date>`now() + make_interval(secs => ${seconds})`

/** Extends the leases that are still held; returns those. */
export async function renewLeases(
  db: Db,
  leases: readonly RequestLease[],
  seconds?: number,
): Promise<Set<string>> {
  const rows = await db
    .updateTable('requests')
    .set({ lease_until: leaseEnd(seconds) })
    .where('request_uuid', 'in', (mine) =>
      // Same lock order as a deletion, which also locks several requests: another order could deadlock.
      mine
        .selectFrom('requests')
        .select('request_uuid')
        .where(isHeld(leases))
        .orderBy('request_uuid')
        .forUpdate(),
    )
    .returning('request_uuid')
    .execute()
  return new Set(rows.map((row) => row.request_uuid))
}

/**
 * Returns the ids of the requests whose leases are still held. Cheap enough to poll, so that a cancellation is noticed
 * soon.
 */
export async function stillHeld(db: Db, leases: readonly RequestLease[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('requests')
    .select('request_uuid')
    .where(isHeld(leases))
    .execute()
  return new Set(rows.map((row) => row.request_uuid))
}

/** Returns whether the request is still to be done by any worker; false once it has ended or was cancelled. */
export async function isOpen(db: Db, { request_uuid }: RequestLease): Promise<boolean> {
  const row = await db
    .selectFrom('requests')
    .select('status')
    .where('request_uuid', '=', request_uuid)
    .where('status', 'in', ['queued', 'started'])
    .executeTakeFirst()
  return row !== undefined
}

/** Writes the progress, which never decreases, also over several attempts. */
export async function reportProgress(
  db: Db,
  lease: RequestLease,
  { progress, stage, bytes_done, bytes_total, items_done, items_total }: ProgressMade,
): Promise<void> {
  await updateLeased(db, lease)
    .set({
      progress: sql<number>`greatest(progress, ${progress}::real)`,
      stage,
      ...(bytes_done !== undefined && { bytes_done: atLeast('bytes_done', bytes_done) }),
      ...(items_done !== undefined && { items_done: atLeast('items_done', items_done) }),
      ...(bytes_total !== undefined && { bytes_total }),
      ...(items_total !== undefined && { items_total }),
    })
    .execute()
}

type ProgressMade = Amounts & { progress: number; stage: string }

const atLeast = (column: 'bytes_done' | 'items_done', count: number) =>
  sql<number>`greatest(${sql.ref(column)}, ${count}::bigint)`

/**
 * Marks the start of the final transaction: from now on the request cannot be cancelled, and its effect may exist even
 * if it fails later. Returns false when the lease is lost.
 */
export async function enterFinal(db: Db, lease: RequestLease): Promise<boolean> {
  const { numUpdatedRows } = await updateLeased(db, lease)
    .set({ has_applied: true })
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Queues a request again without counting the attempt. */
export async function requeueUnfinished(db: Db, lease: RequestLease): Promise<void> {
  await updateLeased(db, lease)
    .set({ ...unleased, attempt: sql<number>`attempt - 1` })
    .execute()
}

/** Queues a request again after a transient failure. Returns false when the lease is lost. */
export async function requeueLater(db: Db, lease: RequestLease, seconds: number): Promise<boolean> {
  const not_before_date = sql<Date>`now() + make_interval(secs => ${seconds})`
  const { numUpdatedRows } = await updateLeased(db, lease)
    .set({ ...unleased, not_before_date })
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

const unleased = {
  status: 'queued',
  lease_owner: null,
  lease_until: null,
  stage: '',
} as const

/**
 * Ends all leases at once instead of after their 60 s. Only for the single-process mode at startup, where no other
 * worker can be alive.
 */
export async function endLeases(db: Db): Promise<void> {
  await db.deleteFrom('workers').execute()
  await db
    .updateTable('requests')
    .set({ lease_until: sql<Date>`now()` })
    .where('status', '=', 'started')
    .where('lease_until', '>', sql<Date>`now()`)
    .execute()
}

/** SQL: the worker has not renewed its lease in time. */
export const isLost = sql<boolean>`lease_until < now()`

/**
 * Requeues the requests of lost workers that have attempts left; returns their number. Skips rows that are locked by
 * others.
 */
export async function requeueLost(db: Db): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('requests')
    .set(unleased)
    .where('request_uuid', 'in', (lost) =>
      lost
        .selectFrom('requests')
        .select('request_uuid')
        .where('status', '=', 'started')
        .where(isLost)
        .whereRef('attempt', '<', 'max_attempts')
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Finds the requests that lost their worker in the last attempt. */
export function findAbandoned(db: Db): Promise<RequestRow[]> {
  return db
    .selectFrom('requests')
    .selectAll()
    .where('status', '=', 'started')
    .where(isLost)
    .whereRef('attempt', '>=', 'max_attempts')
    .execute()
}

/** Names the two columns explicitly: a whole row also fits `RequestLease`, and all its columns would be compared. */
const isHeld =
  (leases: readonly RequestLease[]) => (row: ExpressionBuilder<RequestsDb, 'requests'>) =>
    row.or(
      leases.map(({ request_uuid, lease_token }) =>
        row.and({ request_uuid, lease_token, status: 'started' }),
      ),
    )

/** Locks a request until this transaction ends, so that it cannot end before. Returns false when the lease is lost. */
export async function lockHeld(
  tx: Db,
  { request_uuid, lease_token }: RequestLease,
): Promise<boolean> {
  const row = await tx
    .selectFrom('requests')
    .select('request_uuid')
    .where(isHeld([{ request_uuid, lease_token }]))
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

/** Builds an update that takes effect only for the holder of the lease. */
export function updateLeased(db: Db, { request_uuid, lease_token }: RequestLease) {
  return db
    .updateTable('requests')
    .where('request_uuid', '=', request_uuid)
    .where('lease_token', '=', lease_token)
    .where('status', '=', 'started')
}
