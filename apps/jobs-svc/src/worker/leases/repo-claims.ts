import { type Kysely, sql, type Transaction } from 'kysely'
import type { RequestRow, RequestsDb } from '../../db/schema.ts'
import { lockTenant, nextToken } from '../../requests/repo.ts'
import { leaseEnd } from './repo-leases.ts'
import { livingSlots } from './repo-workers.ts'

type Db = Kysely<RequestsDb>
type Tx = Transaction<RequestsDb>

export interface RequestClaimOptions {
  /** Name of the worker, stored in the row. */
  worker: string
  /** Limit of requests of one tenant that run at the same time. */
  tenantConcurrency: number
  leaseSeconds?: number
}

/**
 * Claims the next request. Order of tenants: fewest running requests, then least recently served. Order within a
 * tenant: oldest request that is due and whose result no other request is making. Large requests never take the last
 * slot of all living workers, so that small requests always have one.
 */
export async function claimRequest(
  db: Db,
  options: RequestClaimOptions,
): Promise<RequestRow | undefined> {
  for (;;) {
    const taken = await db.transaction().execute((tx) => claimNext(tx, options))
    if (taken !== 'ended') return taken
  }
}

/**
 * Tries to claim the next request. Returns `ended` when it ended before its tenant was locked. Locks at most one tenant,
 * so no lock order is needed.
 */
async function claimNext(
  tx: Tx,
  options: RequestClaimOptions,
): Promise<RequestRow | 'ended' | undefined> {
  // One claim at a time: two concurrent claims could both see room below the limit, or both claim requests for the same
  // result.
  await sql`select pg_advisory_xact_lock(hashtext('requests.claim'))`.execute(tx)
  const { rows } = await nextRequest(options).execute(tx)
  const [next] = rows
  if (!next) return undefined
  // Lock the tenant before its request, as everywhere: in the other order, a claim and a cancellation could deadlock.
  await lockTenant(tx, next.tenant)
  return (await startRequest(tx, next.request_uuid, options)) ?? 'ended'
}

/** Finds the tenants by a loose index scan, without reading all queued requests. */
const nextRequest = ({ tenantConcurrency }: RequestClaimOptions) => sql<{
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
    select * from turns where running < ${tenantConcurrency}
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

/** Starts a request with a new lease. Returns undefined when it ended before its tenant was locked. */
async function startRequest(
  tx: Tx,
  request_uuid: string,
  { worker, leaseSeconds }: RequestClaimOptions,
): Promise<RequestRow | undefined> {
  const row = await tx
    .updateTable('requests')
    .set({
      status: 'started',
      attempt: sql<number>`attempt + 1`,
      lease_owner: worker,
      lease_token: nextToken,
      lease_until: leaseEnd(leaseSeconds),
      not_before_date: null,
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
