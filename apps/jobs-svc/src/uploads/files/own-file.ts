import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { type CallContext, forbidden, notFound, signedIn } from '@reticle/kit'
import type { Kysely, Transaction } from 'kysely'
import type { RequestsDb } from '../../db/schema.ts'
import { unknownUpload } from '../claim-upload.ts'
import { type Aim, targetOf } from '../purposes.ts'
import { readFileId } from './file-id.ts'
import { type FileWithUpload, findFile, findUploadOf, lockFile } from './repo.ts'

/** Public id of a file, with the object that it was sent for. */
export interface NamedFile extends Aim {
  file_id: string
}

/**
 * Finds a file of the caller.
 *
 * @throws DomainError not_found for an unknown or expired file; forbidden for a file of another user
 */
export async function findOwnFile(
  db: Kysely<RequestsDb>,
  { file_id: given, purpose, target, id: target_id }: NamedFile,
  ttlHours: number,
  context: CallContext,
): Promise<FileWithUpload> {
  const named = readFileId(given)
  const of = { purpose, target: targetOf({ purpose, target }), target_id }
  const found = named && (await findFile(db, named.file_id, of, ttlHours))
  if (!found || found.owner_id !== named.owner_id) throw notFound()
  if (found.owner_id !== signedIn(context).user_id) throw forbidden()
  return found
}

/**
 * Returns an incomplete file.
 *
 * @throws DomainError not_found for a complete one, which is no longer an upload
 */
export function assertIncomplete<F extends { offset: number; length: number }>(file: F): F {
  if (file.offset === file.length) throw notFound('This file has arrived.', 'upload_complete')
  return file
}

/**
 * Finds a completely uploaded file by its id, with its upload, which the caller then claims.
 *
 * @throws DomainError invalid for an unknown or incomplete file
 */
export async function claimFile(
  tx: Transaction<RequestsDb>,
  given: string,
): Promise<{ upload_id: string; file: UploadedFile }> {
  const file_id = readFileId(given)?.file_id
  const upload_id = file_id && (await findUploadOf(tx, file_id))
  const found = file_id && upload_id && (await lockFile(tx, file_id))
  if (!found || found.offset < found.length) throw unknownUpload()
  const { name, key, length: size } = found
  return { upload_id: found.upload_id, file: { name, key, size } }
}
