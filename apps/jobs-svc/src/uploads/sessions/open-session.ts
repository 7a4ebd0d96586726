import type { Facts } from '@reticle/contracts/rest/facts'
import { type CallContext, signedIn } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { RequestsDb, UploadRow } from '../../db/schema.ts'
import { requestRunning } from '../../requests/post.ts'
import { isRunning } from '../../requests/repo.ts'
import { insertSession, lockSession } from '../../storage/repo-sessions.ts'
import { rqIdFor } from '../purposes.ts'

type Tx = Transaction<RequestsDb>

/**
 * Locks the data-upload session of a task, or starts one.
 *
 * @throws DomainError conflict while its files are being used
 */
export async function openSession(
  tx: Tx,
  task_id: number,
  { organization_id }: Pick<Facts, 'organization_id'>,
  ttlHours: number,
  context: CallContext,
): Promise<Pick<UploadRow, 'upload_id' | 'prefix'>> {
  const there = await lockSession(tx, task_id, ttlHours)
  await assertUnused(tx, task_id)
  return there ?? insertSession(tx, task_id, signedIn(context).user_id, organization_id)
}

/**
 * Checks that no creation of the task is queued or running.
 *
 * @throws DomainError conflict while one is
 */
export async function assertUnused(tx: Tx, task_id: number): Promise<void> {
  const rq_id = rqIdFor({ purpose: 'data', target: 'task', id: task_id })
  if (await isRunning(tx, rq_id)) throw requestRunning(rq_id)
}
