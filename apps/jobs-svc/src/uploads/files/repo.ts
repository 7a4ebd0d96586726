import type { Kysely, Transaction } from 'kysely'
import type { RequestsDb, UploadedFileRow, UploadRow } from '../../db/schema.ts'
import { releaseFiles } from '../../storage/release-contents.ts'
import { registerDead } from '../../storage/repo-objects.ts'
import { isInTime } from '../../storage/repo-uploads.ts'

type Tx = Transaction<RequestsDb>

/** Purpose and object of a file. */
export type FileOf = Pick<UploadRow, 'purpose' | 'target' | 'target_id'>

export type FileWithUpload = UploadedFileRow & Pick<UploadRow, 'used_date'>

/** Finds a file of an upload that was not used yet. */
export function findFile(
  db: Kysely<RequestsDb>,
  file_id: string,
  { purpose, target, target_id }: FileOf,
  ttlHours: number,
): Promise<FileWithUpload | undefined> {
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

/** Locks a file. Requires the lock of its upload. */
export function lockFile(tx: Tx, file_id: string): Promise<UploadedFileRow | undefined> {
  return tx
    .selectFrom('uploaded_files')
    .selectAll()
    .where('file_id', '=', file_id)
    .forUpdate()
    .executeTakeFirst()
}

/** Finds the upload of a file. */
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

/** Lists files in the order of their creation. */
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
  'file_id' | 'owner_id' | 'name' | 'key' | 'length' | 'offset'
> &
  Partial<Pick<UploadedFileRow, 'sha256' | 'expected_sha256'>>
/** Limits the parameters of a statement: each row takes nine. */
const rowsAtOnce = 1000

export async function insertFiles(
  tx: Tx,
  upload: Pick<UploadRow, 'upload_id' | 'prefix'>,
  files: readonly NewFile[],
): Promise<void> {
  const { upload_id } = upload
  await addBytes(tx, upload, files)
  for (let at = 0; at < files.length; at += rowsAtOnce)
    await tx
      .insertInto('uploaded_files')
      .values(files.slice(at, at + rowsAtOnce).map((file) => ({ ...file, upload_id })))
      .execute()
}

/** Adds the announced bytes per user, only for files stored below the upload itself; others existed before. */
async function addBytes(
  tx: Tx,
  { upload_id, prefix }: Pick<UploadRow, 'upload_id' | 'prefix'>,
  files: readonly Pick<UploadedFileRow, 'owner_id' | 'key' | 'length'>[],
  sign = 1,
): Promise<void> {
  const sums = new Map<number, number>()
  for (const { owner_id, key, length } of files)
    if (key.startsWith(prefix)) sums.set(owner_id, (sums.get(owner_id) ?? 0) + sign * length)
  if (sums.size === 0) return
  await tx
    .insertInto('upload_bytes')
    .values([...sums].map(([owner_id, bytes]) => ({ upload_id, owner_id, bytes })))
    .onConflict((conflict) =>
      conflict.columns(['upload_id', 'owner_id']).doUpdateSet((row) => ({
        bytes: row('upload_bytes.bytes', '+', row.ref('excluded.bytes')),
      })),
    )
    .execute()
}

/** Returns the bytes, stored or announced, of a user's unused uploads. */
export async function bytesWaiting(tx: Tx, owner_id: number): Promise<number> {
  const found = await tx
    .selectFrom('upload_bytes')
    .select((row) => row.fn.sum<string | null>('bytes').as('bytes'))
    .where('owner_id', '=', owner_id)
    .executeTakeFirst()
  return Number(found?.bytes ?? 0)
}

type Changes = Partial<Pick<UploadedFileRow, 'key' | 'offset' | 'tail' | 'lease' | 'sha256'>>

export async function updateFile(tx: Tx, file_id: string, changes: Changes): Promise<void> {
  await tx.updateTable('uploaded_files').set(changes).where('file_id', '=', file_id).execute()
}

/** Deletes files with all their objects, also those that a writer may still store, except objects used elsewhere. */
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
  await addBytes(tx, { upload_id, prefix }, files, -1)
  await registerDead(tx, await releaseFiles(tx, prefix, files, stillUsed))
}
