import type { UploadedFile } from '@reticle/contracts/rest/requests'
import type { Transaction } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { unknownUpload } from '../uploads/claim-upload.ts'
import { readFileId } from './file-id.ts'
import { findUploadOf, lockFile } from './repo.ts'

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
