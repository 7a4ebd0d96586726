import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { type CallContext, invalid, invalidText, signedIn } from '@reticle/kit'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { RequestsDb, UploadRow } from '../db/schema.ts'
import { makeLive } from '../storage/repo-objects.ts'
import { deleteUpload, lockUpload } from '../storage/repo-uploads.ts'
import { fieldOf } from './purposes.ts'

export interface ClaimedUpload {
  upload_id: string
  purpose: UploadRow['purpose']
  target: string
  target_id: number
  files: readonly UploadedFile[]
  /** The request does not need uploaded files. */
  needsNoFile?: boolean
}

/**
 * Takes an upload for the request that is posted in this transaction. It must belong to the caller, be made for this
 * object and purpose, and contain all the files.
 *
 * @returns its key prefix, under which its objects are registered
 * @throws DomainError invalid
 */
export async function claimUpload(
  tx: Transaction<RequestsDb>,
  claimed: ClaimedUpload,
  context: CallContext,
): Promise<string> {
  const upload = isUuid(claimed.upload_id) ? await lockUpload(tx, claimed.upload_id) : undefined
  if (!upload || !isFor(upload, claimed) || upload.owner_id !== signedIn(context).user_id)
    throw unknownUpload()
  if (claimed.files.length > 0 || !claimed.needsNoFile) assertFiles(upload, claimed.files)
  await deleteUpload(tx, upload)
  if (!(await makeLive(tx, upload.prefix))) throw unknownUpload()
  return upload.prefix
}

export const unknownUpload = () => invalidText('No such file were uploaded', 'upload_unknown')

export const isUuid = (given: string) => z.guid().safeParse(given).success

const isFor = (upload: UploadRow, { purpose, target, target_id }: ClaimedUpload) =>
  upload.purpose === purpose && upload.target === target && upload.target_id === target_id

function assertFiles({ purpose, prefix }: UploadRow, files: readonly UploadedFile[]): void {
  const field = fieldOf(purpose)
  if (files.length === 0) throw invalid({ [field]: 'No file was submitted.' }, 'required')
  const foreign = files.find(({ key }) => !key.startsWith(prefix))
  if (foreign) throw new Error(`${foreign.key} is not below ${prefix}`)
  const empty = purpose !== 'data' && files.find(({ size }) => size === 0)
  if (empty) throw invalid({ [field]: 'The submitted file is empty.' })
}
