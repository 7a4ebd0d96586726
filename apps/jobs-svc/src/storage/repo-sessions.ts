import { sql, type Transaction } from 'kysely'
import type { RequestsDb, UploadRow } from '../db/schema.ts'
import { dropUpload, insertUpload, isInTime } from './repo-uploads.ts'

type Tx = Transaction<RequestsDb>

/**
 * Locks the data-upload session of a task: the one upload in which its files wait until a request uses them as media.
 */
export async function lockSession(
  tx: Tx,
  task_id: number,
  ttlHours: number,
): Promise<UploadRow | undefined> {
  // Also locks a missing session: of two concurrent callers only one starts it.
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

/** Inserts a session. Requires the lock of the session. An earlier one has ended and is left to the sweeper. */
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
 * Keeps the files of a failed creation for the next attempt, which may replace some of them. Returns false when the
 * upload is not a session.
 */
export async function renewSession(tx: Tx, prefix: string): Promise<boolean> {
  const renewed = await tx
    .updateTable('uploads')
    .set({ used_date: sql<Date>`now()` })
    .where('prefix', '=', prefix)
    .returning('upload_id')
    .executeTakeFirst()
  if (!renewed) return false
  await tx
    .updateTable('blobs')
    .set({ state: 'pending' })
    .where('key', '=', prefix)
    .where('state', '=', 'live')
    .execute()
  await tx
    .updateTable('uploaded_files')
    .set({ is_kept: true })
    .where('upload_id', '=', renewed.upload_id)
    .execute()
  return true
}

/** Deletes an upload whose files have become media, and drops any other session of the task. */
export async function endSession(tx: Tx, prefix: string, task_id: number): Promise<void> {
  await tx.deleteFrom('uploads').where('prefix', '=', prefix).execute()
  await dropSessions(tx, [task_id])
}

/** Drops the sessions of tasks. */
export async function dropSessions(tx: Tx, task_ids: readonly number[]): Promise<void> {
  const found = await tx
    .selectFrom('upload_sessions')
    .innerJoin('uploads', 'uploads.upload_id', 'upload_sessions.upload_id')
    .select(['uploads.upload_id', 'uploads.prefix'])
    .where((row) => row('upload_sessions.task_id', '=', row.fn.any(row.val([...task_ids]))))
    .execute()
  for (const upload of found) await dropUpload(tx, upload)
}
