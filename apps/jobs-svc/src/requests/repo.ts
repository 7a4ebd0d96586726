import { type InsertObject, type Kysely, sql } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'

type Db = Kysely<RequestsDb>
export type NewRequest = InsertObject<RequestsDb, 'requests'>

/** A record is gone once its life is over, even before the sweeper has come. */
const isAlive = sql<boolean>`(expiry_date is null or expiry_date > now())`

export function findRequest(db: Db, rq_id: string): Promise<RequestRow | undefined> {
  return db
    .selectFrom('requests')
    .selectAll()
    .where('rq_id', '=', rq_id)
    .where(isAlive)
    .executeTakeFirst()
}

/** Also finds what has expired: its file can be named as expired rather than as unknown. */
export function findEverPosted(db: Db, rq_id: string): Promise<RequestRow | undefined> {
  return db.selectFrom('requests').selectAll().where('rq_id', '=', rq_id).executeTakeFirst()
}

export function lockRequest(db: Db, rq_id: string): Promise<RequestRow | undefined> {
  return db
    .selectFrom('requests')
    .selectAll()
    .where('rq_id', '=', rq_id)
    .forUpdate()
    .executeTakeFirst()
}

/** `rq_id` of the request that is queued or started, if it is. */
export async function findRunning(db: Db, rq_id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('requests')
    .select('rq_id')
    .where('rq_id', '=', rq_id)
    .where('status', 'in', ['queued', 'started'])
    .executeTakeFirst()
  return row?.rq_id
}

/** The row that the key of every event of a tenant names; it is made when it is missing. */
export async function lockTenant(db: Db, tenant: string): Promise<void> {
  await db
    .insertInto('tenant_turns')
    .values({ tenant })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db
    .selectFrom('tenant_turns')
    .select('tenant')
    .where('tenant', '=', tenant)
    .forUpdate()
    .execute()
}

/** Nothing where another transaction was first with this `rq_id`. */
export function insertRequest(db: Db, row: NewRequest): Promise<RequestRow | undefined> {
  return db
    .insertInto('requests')
    .values(row)
    .onConflict((conflict) => conflict.column('rq_id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function deleteRequest(db: Db, { request_uuid }: RequestRow): Promise<void> {
  await db.deleteFrom('requests').where('request_uuid', '=', request_uuid).execute()
}

export async function countQueued(
  db: Db,
  column: 'owner_id' | 'tenant',
  value: number | string,
): Promise<number> {
  const { count } = await db
    .selectFrom('requests')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where(column, '=', value)
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow()
  return count
}

/** A finished request whose file serves the same wish; the newest, so that its file lives longest. */
export function findCached(db: Db, cache_key: string): Promise<RequestRow | undefined> {
  return db
    .selectFrom('requests')
    .selectAll()
    .where('cache_key', '=', cache_key)
    .where('status', '=', 'finished')
    .where('result_key', 'is not', null)
    .where(isAlive)
    .orderBy('finished_date', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Files live as long since their last use as they did since they were made. */
export async function extendLife(
  db: Db,
  { request_uuid }: RequestRow,
  seconds: number,
): Promise<void> {
  const later = sql<Date>`now() + make_interval(secs => ${seconds})`
  await db
    .updateTable('requests')
    .set({ expiry_date: later })
    .where('request_uuid', '=', request_uuid)
    .where(sql<boolean>`expiry_date < now() + make_interval(secs => ${seconds - 60})`)
    .execute()
}
