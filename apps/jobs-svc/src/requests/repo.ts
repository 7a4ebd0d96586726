import type { BusyTarget } from '@reticle/contracts/api/operation'
import {
  type InsertObject,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
  type UpdateObject,
} from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import type { ShownRow } from './messages.ts'

type Db = Kysely<RequestsDb>
type Tx = Transaction<RequestsDb>
export type NewRequest = InsertObject<RequestsDb, 'requests'>
export type RequestChanges = UpdateObject<RequestsDb, 'requests'>

/** SQL: the record has not expired, whether or not the sweeper has run. */
export const isAlive = sql<boolean>`(expiry_date is null or expiry_date > now())`

/** Column that selects whose queues are ranked. */
type Key = 'owner_id' | 'rq_id'

/**
 * Selects requests with their position in the queue of their tenant, in the order of `worker/leases/repo-claims.ts`;
 * `queue_position` is null unless they are queued. Each queue is ranked once, for any number of requests.
 *
 * @param values owners or ids whose queues are ranked; the caller still filters the rows
 */
export function selectWithPosition(db: Db, key: Key, values: readonly (number | string)[]) {
  const isSelected = sql<SqlBool>`${sql.ref(key)} = any(${[...values]})`
  const tenants = db
    .selectFrom('requests')
    .select('tenant')
    .where('status', '=', 'queued')
    .where(isSelected)
  const positions = db
    .selectFrom('requests')
    .select('request_uuid as placed_uuid')
    .select(
      sql<number>`(rank() over (partition by tenant order by priority desc, created_date) - 1)::int`.as(
        'queue_position',
      ),
    )
    .where('status', '=', 'queued')
    .where('tenant', 'in', tenants)
    .as('places')
  return db
    .selectFrom('requests')
    .leftJoin(positions, 'places.placed_uuid', 'requests.request_uuid')
    .selectAll('requests')
    .select('places.queue_position')
    .where(isSelected)
}

export function findRequest(db: Db, rq_id: string): Promise<ShownRow | undefined> {
  return selectWithPosition(db, 'rq_id', [rq_id]).where(isAlive).executeTakeFirst()
}

/** Finds requests that have not expired, by `rq_id`. */
export async function findRequests(
  db: Db,
  rq_ids: readonly string[],
): Promise<Map<string, ShownRow>> {
  const rows = await selectWithPosition(db, 'rq_id', rq_ids).where(isAlive).execute()
  return new Map(rows.map((row) => [row.rq_id, row]))
}

/** SQL: an ended request that the streams of its owner still show. */
const lingers = sql<boolean>`finished_date > now() - interval '10 seconds'`

/** Finds the requests of users that are queued, started or ended seconds ago. */
export async function findMoving(
  db: Db,
  owner_ids: readonly number[],
): Promise<Map<number, ShownRow[]>> {
  const rows = await selectWithPosition(db, 'owner_id', owner_ids)
    .where((row) => row.or([row('status', 'in', ['queued', 'started']), lingers]))
    .orderBy('created_date')
    .execute()
  const moving = new Map<number, ShownRow[]>(owner_ids.map((id) => [id, []]))
  for (const row of rows) moving.get(row.owner_id)?.push(row)
  return moving
}

/** Finds a request even when it has expired, so that its file can be reported as expired rather than as unknown. */
export function findEverPosted(db: Db, rq_id: string): Promise<RequestRow | undefined> {
  return db.selectFrom('requests').selectAll().where('rq_id', '=', rq_id).executeTakeFirst()
}

export function lockRequest(tx: Tx, rq_id: string): Promise<RequestRow | undefined> {
  return tx
    .selectFrom('requests')
    .selectAll()
    .where('rq_id', '=', rq_id)
    .forUpdate()
    .executeTakeFirst()
}

/** Returns whether the request is queued or started. */
export async function isRunning(db: Db, rq_id: string): Promise<boolean> {
  const row = await db
    .selectFrom('requests')
    .select('rq_id')
    .where('rq_id', '=', rq_id)
    .where('status', 'in', ['queued', 'started'])
    .executeTakeFirst()
  return row !== undefined
}

/** Locks the row of a tenant, which all its events use as key; inserts it when missing. */
export async function lockTenant(tx: Tx, tenant: string): Promise<void> {
  await tx
    .insertInto('tenant_turns')
    .values({ tenant })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx
    .selectFrom('tenant_turns')
    .select('tenant')
    .where('tenant', '=', tenant)
    .forUpdate()
    .execute()
}

/** Inserts a request. Returns undefined when another transaction inserted this `rq_id` first. */
export function insertRequest(db: Db, row: NewRequest): Promise<RequestRow | undefined> {
  return db
    .insertInto('requests')
    .values(row)
    .onConflict((conflict) => conflict.column('rq_id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** SQL: a new token, which invalidates every earlier lease. */
export const nextToken = sql<number>`nextval('lease_tokens')`

/** Ends a request from outside; its worker, if any, can no longer write. */
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

/**
 * Finds and locks a finished request whose file has this cache key; the newest, because its file lives longest. The
 * lock keeps the file from being deleted before the new request refers to it.
 */
export function lockCached(tx: Tx, cache_key: string): Promise<RequestRow | undefined> {
  return tx
    .selectFrom('requests')
    .selectAll()
    .where('cache_key', '=', cache_key)
    .where('status', '=', 'finished')
    .where('result_key', 'is not', null)
    .where(isAlive)
    .orderBy('finished_date', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
}

/** Columns that a request copies from the one that made the file. */
export function sharedFile({ result_key, result_size, report }: RequestRow) {
  return { result_key, result_size, report: JSON.stringify(report) }
}

/** Columns of a request that is finished by a shared file. */
export function sharedResult(row: RequestRow) {
  return { ...sharedFile(row), progress: 1, started_date: sql<Date>`now()` }
}

/** Extends the lifetime of a file: after each use it is as long as after its creation. */
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

/** Clears the file columns of expired records; returns the cleared blob keys. */
export async function expireResults(db: Db, now: Date): Promise<string[]> {
  const rows = await db
    .updateTable('requests as r')
    .from('requests as old')
    .set({ result_key: null, cache_key: null })
    .whereRef('r.request_uuid', '=', 'old.request_uuid')
    .where('r.expiry_date', '<', now)
    .where('old.result_key', 'is not', null)
    .returning('old.result_key as key')
    .execute()
  return rows.flatMap(({ key }) => key ?? [])
}

const dayMs = 24 * 3_600_000
/** Time for which an expired file is reported as expired rather than as unknown. */
const rememberedMs = 30 * dayMs

export async function deleteExpired(db: Db, now: Date): Promise<void> {
  const limit = new Date(now.getTime() - rememberedMs)
  await db.deleteFrom('requests').where('expiry_date', '<', limit).execute()
}

/** Objects whose requests are meant: the ids of one kind. */
export type RequestSubjects = Partial<
  Record<'project_id' | 'task_id' | 'job_id' | 'owner_id', readonly number[]>
>

/** Finds requests of an object that are queued or started. */
export function findRunningOf(db: Db, owner: RequestSubjects): Promise<RequestRow[]> {
  return runningOf(db, owner).execute()
}

export function lockRunningOf(tx: Tx, owner: RequestSubjects): Promise<RequestRow[]> {
  return runningOf(tx, owner).orderBy('request_uuid').forUpdate().execute()
}

function runningOf(db: Db, owner: RequestSubjects) {
  return db
    .selectFrom('requests')
    .selectAll()
    .where('status', 'in', ['queued', 'started'])
    .where((row) =>
      row.or(
        ownedBy(owner).map(([column, ids]) => row(column, '=', row.fn.any(row.val([...ids])))),
      ),
    )
}

/** Column that names the object of a request. Exports of the event log have no object. */
const columnOf = {
  project: 'project_id',
  task: 'task_id',
  organization: 'org_id',
} as const satisfies Record<BusyTarget, string>

/** Returns whether a request of an object, or of its contents, is queued or started. */
export async function hasRunning(db: Db, target: BusyTarget, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('requests')
    .select('request_uuid')
    .where(columnOf[target], '=', id)
    .where('status', 'in', ['queued', 'started'])
    .where('target', '<>', 'events')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Copies the new project and organization of a task to all its requests. */
export async function moveTask(
  db: Db,
  task_id: number,
  { project_id, organization_id: org_id }: Place,
): Promise<void> {
  await db
    .updateTable('requests')
    .set({ project_id, org_id })
    .where('task_id', '=', task_id)
    .execute()
}
interface Place {
  project_id: number | null
  organization_id: number | null
}

/** Copies the new organization of a project to all requests of it and its contents. */
export async function moveProject(
  db: Db,
  project_id: number,
  org_id: number | null,
): Promise<void> {
  await db.updateTable('requests').set({ org_id }).where('project_id', '=', project_id).execute()
}

/** Clears a deleted organization from its requests. */
export async function leaveOrganization(db: Db, org_id: number): Promise<void> {
  await db.updateTable('requests').set({ org_id: null }).where('org_id', '=', org_id).execute()
}

/** Clears the file columns of all requests of an object; returns the cleared blob keys. */
export async function dropResults(db: Db, owner: RequestSubjects): Promise<string[]> {
  const rows = await db
    .updateTable('requests as r')
    .from('requests as old')
    .set({ result_key: null, cache_key: null })
    .whereRef('r.request_uuid', '=', 'old.request_uuid')
    .where('old.result_key', 'is not', null)
    .where((row) =>
      row.or(
        ownedBy(owner).map(([column, ids]) =>
          row(`old.${column}`, '=', row.fn.any(row.val([...ids]))),
        ),
      ),
    )
    .returning('old.result_key as key')
    .execute()
  return rows.flatMap(({ key }) => key ?? [])
}

function ownedBy({ project_id, task_id, job_id, owner_id }: RequestSubjects) {
  const given = [
    ['project_id', project_id],
    ['task_id', task_id],
    ['job_id', job_id],
    ['owner_id', owner_id],
  ] as const
  return given.flatMap(([column, ids]) => (ids ? [[column, [...ids]] as const] : []))
}

/** Deletes the archive members of the checkpoint of a request. */
export async function deleteMembers(db: Db, request_uuid: string): Promise<void> {
  await db.deleteFrom('checkpoint_members').where('request_uuid', '=', request_uuid).execute()
}
