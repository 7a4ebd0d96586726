import { rowKinds } from '@reticle/contracts/row-lines'
import { type Kysely, sql } from 'kysely'
import type { AnnotationsSettings } from '../../config.ts'
import type { AnnotationsDb } from '../../db/schema.ts'
import { deleteFrom, partitionsOf } from '../../reading/store/partitions.ts'
import { dropDeletedLabels } from './deleted-labels.ts'
import { replacedName } from './keep.ts'
import { mostReadable } from './revisions.ts'

type Db = Kysely<AnnotationsDb>

/** Maximum number of rows per statement, so that concurrent writers wait only briefly. */
const atOnce = 5000
/** Maximum number of listed records of a job, including those that cannot be read any more. */
const mostRecords = 10 * mostReadable
const dayMs = 86_400_000

/**
 * Deletes expired history: objects that were replaced more than `historyDays` ago, and revisions before the newest
 * thousand of a job. A revision is first marked as unreadable; its rows are then deleted in small batches, and a
 * concurrent read still has its snapshot. Records stay, up to ten thousand per job; without history all are deleted.
 */
export async function sweepHistory(
  db: Db,
  { historyDays }: Pick<AnnotationsSettings, 'historyDays'>,
  now: Date,
): Promise<void> {
  const oldest = historyDays > 0 ? new Date(+now - historyDays * dayMs) : 'infinity'
  await markExpired(db, oldest)
  let last: Change | undefined = { task_id: 0, job_id: 0, revision: 0, replaced_generation: null }
  while (last) last = await dropBefore(db, last)
  await dropRecords(db, historyDays > 0 ? mostRecords : 0)
  await dropDeletedLabels(db, oldest)
}

/**
 * Marks the revisions before the one that was valid at `moment`. That one stays readable, because its replacement is
 * newer.
 */
async function markExpired(db: Db, moment: Date | 'infinity'): Promise<void> {
  await sql`
    update revisions as old set is_readable = false from jobs job
    where job.job_id = old.job_id and old.is_readable and old.revision <= job.revision - ${mostReadable}`.execute(
    db,
  )
  await sql`
    update revisions as old set is_readable = false from (
      select task_id, job_id, max(revision) as revision from revisions
      where is_readable and created_date < ${moment}::timestamptz group by task_id, job_id
    ) as oldest
    where old.task_id = oldest.task_id and old.job_id = oldest.job_id
      and old.is_readable and old.revision < oldest.revision`.execute(db)
}

interface Change {
  task_id: number
  job_id: number
  revision: number
  replaced_generation: number | null
}

/**
 * Deletes the rows replaced by some changes after `last` that no readable revision needs. Returns the last of these
 * changes.
 */
async function dropBefore(db: Db, last: Change): Promise<Change | undefined> {
  const { rows } = await sql<Change>`
    select task_id, job_id, revision, replaced_generation from revisions as change
    where has_before
      and (task_id, job_id, revision) > (${last.task_id}, ${last.job_id}, ${last.revision})
      and not exists (
      select from revisions as older where older.task_id = change.task_id
        and older.job_id = change.job_id and older.revision < change.revision and older.is_readable)
    order by task_id, job_id, revision limit 100`.execute(db)
  for (const change of rows) await dropOne(db, change)
  return rows.at(-1)
}

async function dropOne(
  db: Db,
  { task_id, job_id, revision, replaced_generation }: Change,
): Promise<void> {
  const isOfJob = `task_id = ${task_id} and job_id = ${job_id}`
  for (const kind of rowKinds) {
    await dropRows(db, replacedName(kind), `${isOfJob} and revision <= ${revision}`)
    if (replaced_generation === null) continue
    for (const part of await partitionsOf(db, kind, [task_id])) {
      await dropRows(db, part, `${isOfJob} and generation = ${replaced_generation}`)
    }
  }
  await sql`update revisions set has_before = false
    where ${sql.raw(isOfJob)} and revision = ${revision}`.execute(db)
}

/** Deletes in batches, each in its own transaction. */
async function dropRows(db: Db, table: string, where: string): Promise<void> {
  const rowIds = `select ctid from ${table} where ${where} limit ${atOnce}`
  for (;;) {
    const { numAffectedRows } = await sql.raw(deleteFrom(table, rowIds)).execute(db)
    if (Number(numAffectedRows ?? 0) < atOnce) return
  }
}

/**
 * Records of objects that moved to another job stay as long as the history, because a restore needs them
 * (`annotations/restore.ts`).
 */
async function dropRecords(db: Db, most: number): Promise<void> {
  const isMove = sql<boolean>`old.action = 'update' and old.created_ids is not null`
  await sql`
    delete from revisions as old using jobs job where job.job_id = old.job_id
      and not old.has_before and old.revision <= job.revision - ${most}
      ${most > 0 ? sql`and not coalesce(${isMove}, false)` : sql``}`.execute(db)
}
