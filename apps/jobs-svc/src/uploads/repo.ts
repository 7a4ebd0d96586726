import { randomUUID } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { RequestsDb, UploadRow } from '../db/schema.ts'
import { registerPending } from '../objects/repo.ts'

type NewUpload = Pick<UploadRow, 'purpose' | 'target' | 'target_id' | 'owner_id'>

/** Committed before its first byte: whatever lies below the prefix has an owner and an end. */
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

export function lockUpload(
  tx: Transaction<RequestsDb>,
  upload_id: string,
): Promise<UploadRow | undefined> {
  return tx
    .selectFrom('uploads')
    .selectAll()
    .where('upload_id', '=', upload_id)
    .forUpdate()
    .executeTakeFirst()
}

/** An upload serves one request; afterwards its id means nothing any more. */
export async function deleteUpload(
  tx: Transaction<RequestsDb>,
  { upload_id }: UploadRow,
): Promise<void> {
  await tx.deleteFrom('uploads').where('upload_id', '=', upload_id).execute()
}
