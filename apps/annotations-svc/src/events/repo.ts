import type { Job } from '@reticle/contracts/rest/jobs'
import type { BasicUser } from '@reticle/contracts/rest/users'
import { arrayOf } from '@reticle/contracts/row-lines'
import { sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'

type Tx = Transaction<AnnotationsDb>

const bulky = [
  ...Object.values(arrayOf).flatMap((table) => [table, `replaced_${table}` as const]),
  'revisions' as const,
]

/** Inserts a job unless a write already inserted it. */
export async function addJob(tx: Tx, { id, task_id }: Job): Promise<void> {
  await tx
    .insertInto('jobs')
    .values({ job_id: id, task_id })
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .execute()
}

export async function removeJob(tx: Tx, { id, task_id }: Job): Promise<void> {
  await allowLong(tx)
  await tx.deleteFrom('jobs').where('job_id', '=', id).execute()
  for (const table of bulky) {
    await tx.deleteFrom(table).where('task_id', '=', task_id).where('job_id', '=', id).execute()
  }
}

export async function removeTasks(tx: Tx, task_ids: readonly number[]): Promise<void> {
  await allowLong(tx)
  const isTheirs = sql<boolean>`task_id = any(${task_ids}::int[])`
  await tx.deleteFrom('jobs').where(isTheirs).execute()
  for (const table of bulky) await tx.deleteFrom(table).where(isTheirs).execute()
}

/** Raises the statement timeout, because a task may have a million rows. */
export async function allowLong(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = '10min'`.execute(tx)
}

/** Updates the name of an author in the history. */
export async function renameAuthor(tx: Tx, { id, ...names }: BasicUser): Promise<void> {
  const { username, first_name, last_name } = names
  await tx
    .updateTable('authors')
    .set({ username, first_name, last_name })
    .where('id', '=', id)
    .execute()
}

/** Deletes an author. Their revisions stay, without an author. */
export async function forgetAuthor(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('authors').where('id', '=', id).execute()
}
