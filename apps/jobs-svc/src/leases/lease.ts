import { type Kysely, sql, type Transaction, type UpdateObject } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { lockTenant } from '../requests/repo.ts'
import { livingSlots } from './workers.ts'

type Db = Kysely<RequestsDb>
type Tx = Transaction<RequestsDb>

/**
 * Who may write about a request (`reliability.md` 6.2, 6.3). A claim gives a worker a new token; every later write names
 * it, so that a worker which lost its lease without noticing writes nothing. Only the database's clock counts.
 */
export type Lease = Pick<RequestRow, 'request_uuid' | 'lease_token'>

export const leaseSeconds = 60

export interface Claim {
  /** Shown in the row: which worker has it. */
  worker: string
  /** Requests of one tenant that run at once. */
  tenant_concurrency: number
  lease_seconds?: number
}

/**
 * Takes the request whose turn it is: of the tenants that wait, the one with the fewest running, then the one served
 * longest ago; of its requests the oldest that is due and whose result no one else is making. Large ones never take the last
 * slot of all living workers, so that small ones always have one.
 */
export function claim(db: Db, wanted: Claim): Promise<RequestRow | undefined> {
  return db.transaction().execute(async (tx) => {
    // One claim at a time: two at once could both see room below the limit, or both take twins.
    await sql`select pg_advisory_xact_lock(hashtext('requests.claim'))`.execute(tx)
    for (;;) {
      const { rows } = await nextRequest(wanted).execute(tx)
      const [next] = rows
      if (!next) return undefined
      // Before its request, as everywhere: the other way round, a claim and a cancellation could wait for each other.
      await lockTenant(tx, next.tenant)
      const row = await startRequest(tx, next.request_uuid, wanted)
      if (row) return row
    }
  })
}

/** The loose index scan finds the tenants without reading all that is queued. */
const nextRequest = ({ tenant_concurrency }: Claim) => sql<{
  request_uuid: string
  tenant: string
}>`
  with recursive waiting (tenant) as (
    select min(tenant) from requests where status = 'queued'
    union all
    select (select min(r.tenant) from requests r where r.status = 'queued' and r.tenant > w.tenant)
    from waiting w where w.tenant is not null
  ),
  turns as (
    select w.tenant, t.last_claimed_date,
      (select count(*) from requests r where r.status = 'started' and r.tenant = w.tenant) as running
    from waiting w left join tenant_turns t on t.tenant = w.tenant
    where w.tenant is not null
  ),
  lanes as (
    select (select count(*) from requests where status = 'started' and size_class = 'large')
      < greatest(1, ${livingSlots} - 1) as is_large_open
  )
  select head.request_uuid, turn.tenant
  from (
    select * from turns where running < ${tenant_concurrency}
    order by running, last_claimed_date nulls first, tenant
  ) turn
  cross join lateral (
    select r.request_uuid from requests r
    where r.status = 'queued' and r.tenant = turn.tenant
      and (r.not_before_date is null or r.not_before_date <= now())
      and (r.size_class = 'small' or (select is_large_open from lanes))
      and not exists (
        select 1 from requests twin where twin.cache_key = r.cache_key and twin.status = 'started')
    order by r.priority desc, r.created_date
    limit 1
  ) head
  order by turn.running, turn.last_claimed_date nulls first, turn.tenant
  limit 1`

/** Nothing when it was ended before its tenant was locked. */
async function startRequest(
  tx: Tx,
  request_uuid: string,
  { worker, lease_seconds }: Claim,
): Promise<RequestRow | undefined> {
  const row = await tx
    .updateTable('requests')
    .set({
      status: 'started',
      attempt: sql<number>`attempt + 1`,
      lease_owner: worker,
      lease_token: nextToken,
      lease_until: leaseEnd(lease_seconds),
      not_before_date: null,
      is_applying: false,
      stage: '',
      started_date: sql<Date>`now()`,
    })
    .where('request_uuid', '=', request_uuid)
    .where('status', '=', 'queued')
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  await tx
    .updateTable('tenant_turns')
    .set({ last_claimed_date: sql<Date>`clock_timestamp()` })
    .where('tenant', '=', row.tenant)
    .execute()
  return row
}

/** A new token makes every lease given before worthless. */
const nextToken = sql<number>`nextval('lease_tokens')`
const leaseEnd = (seconds = leaseSeconds) => sql<Date>`now() + make_interval(secs => ${seconds})`

/** Puts off the end of leases that are still held; answers those. */
export async function renew(
  db: Db,
  leases: readonly Lease[],
  seconds?: number,
): Promise<Set<string>> {
  const rows = await db
    .updateTable('requests')
    .set({ lease_until: leaseEnd(seconds) })
    .where((row) => row.or(leases.map((lease) => row.and({ ...lease, status: 'started' }))))
    .returning('request_uuid')
    .execute()
  return new Set(rows.map((row) => row.request_uuid))
}

/** Which of the leases still hold; cheap, to notice a cancellation soon. */
export async function stillHeld(db: Db, leases: readonly Lease[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('requests')
    .select('request_uuid')
    .where((row) => row.or(leases.map((lease) => row.and({ ...lease, status: 'started' }))))
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
  { progress, stage }: { progress: number; stage: string },
): Promise<void> {
  await held(db, lease)
    .set({ progress: sql<number>`greatest(progress, ${progress}::real)`, stage })
    .execute()
}

/**
 * Says that the final transaction begins; from now on the request cannot be cancelled, and whatever happens its effect may
 * be there. False: the lease is lost.
 */
export async function enterFinal(db: Db, lease: Lease): Promise<boolean> {
  const { numUpdatedRows } = await held(db, lease)
    .set({ is_applying: true, has_applied: true })
    .executeTakeFirst()
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
  is_applying: false,
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

export type RequestChanges = UpdateObject<RequestsDb, 'requests'>

/** Columns of a row that has come to its end; its record lives for so many seconds more. */
export function ended(status: 'finished' | 'failed', seconds: number) {
  return {
    status,
    stage: '',
    is_applying: false,
    lease_owner: null,
    lease_until: null,
    not_before_date: null,
    finished_date: sql<Date>`now()`,
    expiry_date: sql<Date>`now() + make_interval(secs => ${seconds})`,
  }
}

/** The last write of a worker; nothing when the lease is lost. */
export function endLease(
  tx: Tx,
  lease: Lease,
  changes: RequestChanges,
): Promise<RequestRow | undefined> {
  return held(tx, lease).set(changes).returningAll().executeTakeFirst()
}

/** Ends a request from outside: its worker, where it has one, can write nothing any more. */
export function endRequest(
  tx: Tx,
  { request_uuid }: RequestRow,
  changes: RequestChanges,
): Promise<RequestRow> {
  return tx
    .updateTable('requests')
    .set({ ...changes, lease_token: nextToken })
    .where('request_uuid', '=', request_uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
}

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
        .where('lease_until', '<', sql<Date>`now()`)
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
    .where('lease_until', '<', sql<Date>`now()`)
    .whereRef('attempt', '>=', 'max_attempts')
    .execute()
}

function held(db: Db, { request_uuid, lease_token }: Lease) {
  return db
    .updateTable('requests')
    .where('request_uuid', '=', request_uuid)
    .where('lease_token', '=', lease_token)
    .where('status', '=', 'started')
}
