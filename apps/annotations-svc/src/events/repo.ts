import type { Job } from '@reticle/contracts/rest/jobs'
import type { Task } from '@reticle/contracts/rest/tasks'
import { arrayOf } from '@reticle/contracts/row-lines'
import { sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'

type Tx = Transaction<AnnotationsDb>

const bulky = Object.values(arrayOf)

/** A job, unless a write was faster and made the row itself. */
export async function addJob(tx: Tx, job: Job): Promise<void> {
  const { id, task_id, project_id, organization, start_frame, stop_frame } = job
  const row = { job_id: id, task_id, project_id, organization_id: organization }
  await tx
    .insertInto('jobs')
    .values({ ...row, start_frame, stop_frame })
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .execute()
}

/** The task may be in another project, or in another organization, than it was. */
export async function moveTask(tx: Tx, { id, project_id, organization }: Task): Promise<void> {
  await sql`
    update jobs set project_id = ${project_id}, organization_id = ${organization}
    where task_id = ${id} and (project_id, organization_id)
      is distinct from (${project_id}::int, ${organization}::int)`.execute(tx)
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

/** A whole task may be a million rows. */
export async function allowLong(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = '10min'`.execute(tx)
}
