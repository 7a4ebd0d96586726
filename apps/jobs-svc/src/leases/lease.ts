import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import type { Amounts } from '../requests/amounts.ts'

type Db = Kysely<RequestsDb>

/**
 * Who may write about a request (`reliability.md` 6.2, 6.3). A claim gives a worker a new token; every later write names
 * it, so that a worker which lost its lease without noticing writes nothing. Only the database's clock counts.
 */
export type Lease = Pick<RequestRow, 'request_uuid' | 'lease_token'>

export const leaseSeconds = 60

/** SQL: when a lease that is given or renewed now runs out. */
export const leaseEnd = (seconds = leaseSeconds) =>
  sql<Date>`now() + make_interval(secs => ${seconds})`

/** Puts off the end of leases that are still held; answers those. */
export async function renew(
  db: Db,
  leases: readonly Lease[],
  seconds?: number,
): Promise<Set<string>> {
  const rows = await db
    .updateTable('requests')
    .set({ lease_until: leaseEnd(seconds) })
    .where('request_uuid', 'in', (mine) =>
      // In the order of a deletion, which locks several as well: otherwise both could wait for each other.
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

/** Which of the leases still hold; cheap, to notice a cancellation soon. */
export async function stillHeld(db: Db, leases: readonly Lease[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('requests')
    .select('request_uuid')
    .where(isHeld(leases))
    .execute()
  return new Set(rows.map((row) => row.request_uuid))
}

/** Is it still to be done, by whomever? False where it has ended, as it does when it is cancelled. */
export async function isOpen(db: Db, { request_uuid }: Lease): Promise<boolean> {
  const row = await db
    .selectFrom('requests')
    .select('status')
    .where('request_uuid', '=', request_uuid)
    .where('status', 'in', ['queued', 'started'])
    .executeTakeFirst()
  return row !== undefined
}

/** Progress never goes back, also over several attempts. */
export async function reportProgress(
  db: Db,
  lease: Lease,
  { progress, stage, bytes_done, bytes_total, items_done, items_total }: ProgressMade,
): Promise<void> {
  await held(db, lease)
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
 * Says that the final transaction begins; from now on the request cannot be cancelled, and whatever happens its effect may
 * be there. False: the lease is lost.
 */
export async function enterFinal(db: Db, lease: Lease): Promise<boolean> {
  const { numUpdatedRows } = await held(db, lease).set({ has_applied: true }).executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Gives a request back unharmed: the attempt does not count. */
export async function giveBack(db: Db, lease: Lease): Promise<void> {
  await held(db, lease)
    .set({ ...unleased, attempt: sql<number>`attempt - 1` })
    .execute()
}

/** Queues a request again after something that may pass. False: the lease is lost. */
export async function tryLater(db: Db, lease: Lease, seconds: number): Promise<boolean> {
  const not_before_date = sql<Date>`now() + make_interval(secs => ${seconds})`
  const { numUpdatedRows } = await held(db, lease)
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
 * For the one program that knows that no worker is left (the embedded mode, when it starts): leases of dead ones end now
 * instead of after their 60 s.
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

/** SQL: its worker has not renewed it in time. */
export const isLost = sql<boolean>`lease_until < now()`

/** Queues what lost workers had, while there are attempts left; answers how many. What another is at is left to it. */
export async function reclaim(db: Db): Promise<number> {
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

/** Requests whose last worker was lost. */
export function findAbandoned(db: Db): Promise<RequestRow[]> {
  return db
    .selectFrom('requests')
    .selectAll()
    .where('status', '=', 'started')
    .where(isLost)
    .whereRef('attempt', '>=', 'max_attempts')
    .execute()
}

/** The columns are named one by one: a whole row fits `Lease` as well, and would be compared in all it has. */
const isHeld = (leases: readonly Lease[]) => (row: ExpressionBuilder<RequestsDb, 'requests'>) =>
  row.or(
    leases.map(({ request_uuid, lease_token }) =>
      row.and({ request_uuid, lease_token, status: 'started' }),
    ),
  )

/** False: the lease is lost. Otherwise the request does not end before this transaction. */
export async function lockHeld(tx: Db, { request_uuid, lease_token }: Lease): Promise<boolean> {
  const row = await tx
    .selectFrom('requests')
    .select('request_uuid')
    .where(isHeld([{ request_uuid, lease_token }]))
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

/** To be written by whoever has the lease, and nobody else. */
export function held(db: Db, { request_uuid, lease_token }: Lease) {
  return db
    .updateTable('requests')
    .where('request_uuid', '=', request_uuid)
    .where('lease_token', '=', lease_token)
    .where('status', '=', 'started')
}
