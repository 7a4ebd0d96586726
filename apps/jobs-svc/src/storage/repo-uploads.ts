import { randomUUID } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { RequestsDb, UploadRow } from '../db/schema.ts'
import { makeDead, registerPending } from './repo-objects.ts'

type Tx = Transaction<RequestsDb>
type NewUpload = Pick<UploadRow, 'purpose' | 'target' | 'target_id' | 'owner_id'>

/** Inserts an upload before its first byte, so that all objects below its prefix are registered and expire. */
export async function insertUpload(
  db: Kysely<RequestsDb>,
  upload: NewUpload,
  organization_id: number | null,
): Promise<{ upload_id: string; prefix: string }> {
  const upload_id = randomUUID()
  const prefix = `requests/uploads/${upload_id}/`
  await registerPending(db, { key: prefix, kind: 'upload', organization_id })
  await db
    .insertInto('uploads')
    .values({ ...upload, upload_id, prefix })
    .execute()
  return { upload_id, prefix }
}

export function lockUpload(tx: Tx, upload_id: string): Promise<UploadRow | undefined> {
  return tx
    .selectFrom('uploads')
    .selectAll()
    .where('upload_id', '=', upload_id)
    .forUpdate()
    .executeTakeFirst()
}

/**
 * Deletes an upload that a request has taken over: its id is then invalid, and its files belong to that request only.
 */
export async function deleteUpload(
  tx: Tx,
  { upload_id }: Pick<UploadRow, 'upload_id'>,
): Promise<void> {
  await tx.deleteFrom('uploads').where('upload_id', '=', upload_id).execute()
}

/** Drops an upload that will not be used. */
export async function dropUpload(
  tx: Tx,
  upload: Pick<UploadRow, 'upload_id' | 'prefix'>,
): Promise<void> {
  await deleteUpload(tx, upload)
  await makeDead(tx, upload.prefix)
}

/** Returns SQL that is true for uploads used within their lifetime, whether or not the sweeper has run. */
export const isInTime = (ttlHours: number) =>
  sql<boolean>`uploads.used_date > now() - make_interval(hours => ${ttlHours})`

/** Restarts the expiry of an upload and locks its row. Returns undefined when it was deleted. */
export function lockUsed(
  tx: Tx,
  upload_id: string,
): Promise<Pick<UploadRow, 'prefix' | 'used_date'> | undefined> {
  return tx
    .updateTable('uploads')
    .set({ used_date: sql<Date>`now()` })
    .where('upload_id', '=', upload_id)
    .returning(['prefix', 'used_date'])
    .executeTakeFirst()
}

const hourMs = 3_600_000

/** Returns the date at which an upload expires without further changes. */
export const expiryOf = ({ used_date }: Pick<UploadRow, 'used_date'>, ttlHours: number): string =>
  new Date(used_date.getTime() + ttlHours * hourMs).toISOString()
