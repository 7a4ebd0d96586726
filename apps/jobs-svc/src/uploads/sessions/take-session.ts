import type { Facts } from '@reticle/contracts/rest/facts'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { type CallContext, invalid, signedIn } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { RequestsDb, UploadedFileRow } from '../../db/schema.ts'
import { tenantOf } from '../../requests/post.ts'
import { lockTenant } from '../../requests/repo.ts'
import { makeLive } from '../../storage/repo-objects.ts'
import { lockSession } from '../../storage/repo-sessions.ts'
import { addWholeFiles } from '../files/add-files.ts'
import { listFiles } from '../files/repo.ts'
import { assertUnused, openSession } from './open-session.ts'

interface Wanted {
  task_id: number
  /** Files of the last request. */
  added: readonly UploadedFile[]
  /** The request does not need uploaded files. */
  needsNoFile: boolean
  facts: Facts
}

/**
 * Takes all files of the session of a task for the request that is posted in this transaction. They stay in the session
 * until the request has ended.
 *
 * @throws DomainError conflict while they are being used; invalid without files, or for an incomplete one
 */
export async function takeSession(
  tx: Transaction<RequestsDb>,
  { task_id, added, needsNoFile, facts }: Wanted,
  { uploadTtlHours }: { uploadTtlHours: number },
  context: CallContext,
): Promise<{ files: UploadedFile[]; input_key: string }> {
  const { user_id } = signedIn(context)
  await lockTenant(tx, tenantOf(facts.organization_id, user_id)) // lock order: tenant before files
  const session =
    added.length > 0 || needsNoFile
      ? await openSession(tx, task_id, facts, uploadTtlHours, context)
      : await lockSession(tx, task_id, uploadTtlHours)
  await assertUnused(tx, task_id)
  if (!session) throw noFile()
  await addWholeFiles(tx, session, added, user_id)
  const files = await listFiles(tx, session.upload_id)
  if (files.length === 0 && !needsNoFile) throw noFile()
  assertComplete(files)
  if (!(await makeLive(tx, session.prefix))) throw noFile()
  return { files: files.map(toUploadedFile), input_key: session.prefix }
}

const noFile = () => invalid({ client_files: 'No file was submitted.' }, 'required')

function assertComplete(files: readonly UploadedFileRow[]): void {
  const part = files.find(({ offset, length }) => offset < length)
  if (!part) return
  const text = `Of the file ${part.name} only ${part.offset} of ${part.length} bytes have arrived: send the others, or DELETE it.`
  throw invalid({ client_files: text })
}

const toUploadedFile = ({ name, key, length: size, sha256 }: UploadedFileRow): UploadedFile => ({
  name,
  key,
  size,
  ...(sha256 !== null && { sha256 }),
})
