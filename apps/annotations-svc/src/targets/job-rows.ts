import { type Context, conflict } from '@reticle/kit'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { AnnotationsDb, JobRow } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { openTarget, type Target } from './target.ts'

type Db = Kysely<AnnotationsDb> // a transaction fits here too
type Tx = Transaction<AnnotationsDb>

export type JobRows = ReadonlyMap<number, JobRow>

export async function findJobRows(db: Db, { jobs }: Target): Promise<JobRows> {
  const ids = jobs.map((one) => one.id)
  const { rows } = await sql<JobRow>`
    select * from jobs where job_id = any(${ids}::int[])`.execute(db)
  return byId(rows)
}

/**
 * The first statement of a write: it may be about a million rows, wait a minute for the next piece of its body, and
 * `lockWaitMs` for another write of the same job.
 */
export async function openWrite(
  tx: Tx,
  { lockWaitMs }: Pick<Deps['settings'], 'lockWaitMs'>,
): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(lockWaitMs)}, true),
    set_config('statement_timeout', '10min', true),
    set_config('idle_in_transaction_session_timeout', '1min', true)`.execute(tx)
}

/**
 * Locks the jobs of a target for writing, in id order, so that two writers never wait for each other. Rows that
 * the events of projects-svc have not brought yet are made from what it says about the target; it is asked once more for
 * them, since they are also missing when the target was deleted while its body was on the way, and nothing would ever
 * clean up after it.
 *
 * @throws DomainError conflict `annotations_locked` after the wait of `openWrite`; not_found for a target that is gone
 */
export async function lockJobs(
  tx: Tx,
  deps: Pick<Deps, 'services'>,
  target: Target,
  context: Context,
): Promise<JobRows> {
  try {
    const rows = await selectForUpdate(tx, target)
    if (rows.length === target.jobs.length) return byId(rows)
    await insertJobs(tx, target)
    // Not earlier: from here on the events of these jobs wait for this transaction.
    await openTarget(deps, { target: target.kind, id: target.id }, 'annotations:write', context)
    return byId(await selectForUpdate(tx, target))
  } catch (thrown) {
    if (isLockTimeout(thrown)) throw locked()
    throw thrown
  }
}

const locked = () =>
  conflict('The annotations are being changed by someone else.', {
    code: 'annotations_locked',
    retry_after: 2,
  })

const isLockTimeout = (thrown: unknown) =>
  thrown instanceof Error && Reflect.get(thrown, 'code') === '55P03'

async function selectForUpdate(tx: Tx, { jobs }: Target): Promise<JobRow[]> {
  const ids = jobs.map((one) => one.id)
  const { rows } = await sql<JobRow>`
    select * from jobs where job_id = any(${ids}::int[]) order by job_id for update`.execute(tx)
  return rows
}

async function insertJobs(tx: Tx, target: Target): Promise<void> {
  const { task_id, labels_revision } = target
  const rows = target.jobs.map(({ id }) => ({ job_id: id, task_id, labels_revision }))
  await tx
    .insertInto('jobs')
    .values(rows)
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .execute()
}

const byId = (rows: JobRow[]): JobRows => new Map(rows.map((row) => [row.job_id, row]))
