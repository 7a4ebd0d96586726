import type { Kysely, Transaction } from 'kysely'
import { releaseFiles } from '../contents/release.ts'
import type { RequestsDb, UploadedFileRow, UploadRow } from '../db/schema.ts'
import { registerDead } from '../objects/repo.ts'
import { isInTime } from '../uploads/repo.ts'

type Tx = Transaction<RequestsDb>

/** What a file was sent for. */
export type FileOf = Pick<UploadRow, 'purpose' | 'target' | 'target_id'>

export type FoundFile = UploadedFileRow & Pick<UploadRow, 'used_date'>

/** A file of an upload that nothing came of yet. */
export function findFile(
  db: Kysely<RequestsDb>,
  file_id: string,
  { purpose, target, target_id }: FileOf,
  ttlHours: number,
): Promise<FoundFile | undefined> {
  return db
    .selectFrom('uploaded_files')
    .innerJoin('uploads', 'uploads.upload_id', 'uploaded_files.upload_id')
    .innerJoin('blobs', 'blobs.key', 'uploads.prefix')
    .selectAll('uploaded_files')
    .select('uploads.used_date')
    .where('file_id', '=', file_id)
    .where('uploads.purpose', '=', purpose)
    .where('uploads.target', '=', target)
    .where('uploads.target_id', '=', target_id)
    .where((row) =>
      row.or([
        row('blobs.state', '=', 'live'),
        row.and([row('blobs.state', '=', 'pending'), isInTime(ttlHours)]),
      ]),
    )
    .executeTakeFirst()
}

/** To be called under the lock of its upload. */
export function lockFile(tx: Tx, file_id: string): Promise<UploadedFileRow | undefined> {
  return tx
    .selectFrom('uploaded_files')
    .selectAll()
    .where('file_id', '=', file_id)
    .forUpdate()
    .executeTakeFirst()
}

/** The upload that a file is part of. */
export async function findUploadOf(
  db: Kysely<RequestsDb>,
  file_id: string,
): Promise<string | undefined> {
  const found = await db
    .selectFrom('uploaded_files')
    .select('upload_id')
    .where('file_id', '=', file_id)
    .executeTakeFirst()
  return found?.upload_id
}

/** In the order in which they were begun. */
export function listFiles(db: Kysely<RequestsDb>, upload_id: string): Promise<UploadedFileRow[]> {
  return db
    .selectFrom('uploaded_files')
    .selectAll()
    .where('upload_id', '=', upload_id)
    .orderBy('place')
    .execute()
}

export function listNamed(
  db: Kysely<RequestsDb>,
  upload_id: string,
  names: readonly string[],
): Promise<UploadedFileRow[]> {
  return db
    .selectFrom('uploaded_files')
    .selectAll()
    .where('upload_id', '=', upload_id)
    .where((row) => row('name', '=', row.fn.any(row.val([...names]))))
    .execute()
}

type NewFile = Pick<
  UploadedFileRow,
  'file_id' | 'upload_id' | 'owner_id' | 'name' | 'key' | 'length' | 'offset'
> &
  Partial<Pick<UploadedFileRow, 'sha256' | 'expected_sha256'>>
/** A statement has so many parameters at most, of which each row takes nine. */
const rowsAtOnce = 1000

export async function insertFiles(tx: Tx, files: readonly NewFile[]): Promise<void> {
  for (let at = 0; at < files.length; at += rowsAtOnce)
    await tx
      .insertInto('uploaded_files')
      .values(files.slice(at, at + rowsAtOnce))
      .execute()
}

type Changes = Partial<Pick<UploadedFileRow, 'key' | 'offset' | 'tail' | 'lease' | 'sha256'>>

export async function updateFile(tx: Tx, file_id: string, changes: Changes): Promise<void> {
  await tx.updateTable('uploaded_files').set(changes).where('file_id', '=', file_id).execute()
}

/** With everything that is stored of them, or still will be by somebody who has not heard of it; but for what others use. */
export async function deleteFiles(tx: Tx, files: readonly UploadedFileRow[]): Promise<void> {
  const [one] = files
  if (!one) return
  const { upload_id } = one
  const { prefix } = await tx
    .selectFrom('uploads')
    .select('prefix')
    .where('upload_id', '=', upload_id)
    .executeTakeFirstOrThrow()
  const ids = files.map(({ file_id }) => file_id)
  await tx
    .deleteFrom('uploaded_files')
    .where((row) => row('file_id', '=', row.fn.any(row.val(ids))))
    .execute()
  const twins = await tx
    .selectFrom('uploaded_files')
    .select('key')
    .where('upload_id', '=', upload_id)
    .where((row) => row('key', '=', row.fn.any(row.val(files.map(({ key }) => key)))))
    .execute()
  const stillUsed = new Set(twins.map(({ key }) => key))
  await registerDead(tx, await releaseFiles(tx, prefix, files, stillUsed))
}
