import { sql, type Transaction } from 'kysely'
import type { RequestsDb, UploadRow } from '../db/schema.ts'
import { dropUpload, insertUpload, isInTime } from '../uploads/repo.ts'

type Tx = Transaction<RequestsDb>

/** The upload that the files of a task wait in, one a task, until a request has made media of them. */
export async function lockSession(
  tx: Tx,
  task_id: number,
  ttlHours: number,
): Promise<UploadRow | undefined> {
  // Also where there is none yet: of two who begin one together one does.
  await sql`select pg_advisory_xact_lock(hashtext('upload_sessions'), ${task_id})`.execute(tx)
  return tx
    .selectFrom('uploads')
    .innerJoin('upload_sessions as session', 'session.upload_id', 'uploads.upload_id')
    .innerJoin('blobs', 'blobs.key', 'uploads.prefix')
    .selectAll('uploads')
    .where('session.task_id', '=', task_id)
    .where((row) =>
      row.or([
        row('blobs.state', '=', 'live'),
        row.and([row('blobs.state', '=', 'pending'), isInTime(ttlHours)]),
      ]),
    )
    .forUpdate('uploads')
    .executeTakeFirst()
}

/** To be called under the lock of the session. One that was there is over, and is left to the sweeper. */
export async function insertSession(
  tx: Tx,
  task_id: number,
  owner_id: number,
  organization_id: number | null,
): Promise<Pick<UploadRow, 'upload_id' | 'prefix'>> {
  const upload = { purpose: 'data', target: 'task', target_id: task_id, owner_id } as const
  const made = await insertUpload(tx, upload, organization_id)
  const { upload_id } = made
  await tx
    .insertInto('upload_sessions')
    .values({ task_id, upload_id })
    .onConflict((conflict) => conflict.column('task_id').doUpdateSet({ upload_id }))
    .execute()
  return made
}

/**
 * Files of a creation that failed wait for the next attempt, which may send some of them anew. False: these were of no
 * session.
 */
export async function keepSession(tx: Tx, prefix: string): Promise<boolean> {
  const kept = await tx
    .updateTable('uploads')
    .set({ used_date: sql<Date>`now()` })
    .where('prefix', '=', prefix)
    .returning('upload_id')
    .executeTakeFirst()
  if (!kept) return false
  await tx
    .updateTable('blobs')
    .set({ state: 'pending' })
    .where('key', '=', prefix)
    .where('state', '=', 'live')
    .execute()
  await tx
    .updateTable('uploaded_files')
    .set({ is_kept: true })
    .where('upload_id', '=', kept.upload_id)
    .execute()
  return true
}

/** The files have become media. What else waits for the task waits in vain. */
export async function endSession(tx: Tx, prefix: string, task_id: number): Promise<void> {
  await tx.deleteFrom('uploads').where('prefix', '=', prefix).execute()
  await dropSessions(tx, [task_id])
}

/** Gives up what waits for tasks. */
export async function dropSessions(tx: Tx, task_ids: readonly number[]): Promise<void> {
  const found = await tx
    .selectFrom('upload_sessions')
    .innerJoin('uploads', 'uploads.upload_id', 'upload_sessions.upload_id')
    .select(['uploads.upload_id', 'uploads.prefix'])
    .where((row) => row('upload_sessions.task_id', '=', row.fn.any(row.val([...task_ids]))))
    .execute()
  for (const upload of found) await dropUpload(tx, upload)
}
