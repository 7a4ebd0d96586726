import { type CallContext, invalidText, notFound } from '@reticle/kit'
import { runChange } from '@reticle/kit/db/change'
import type { Kysely } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { type Authority, assertMay } from './access.ts'
import { findRequest, lockRequest, lockTenant } from './repo.ts'
import { failLocked } from './repo-ending.ts'

interface Deps {
  db: Kysely<RequestsDb>
  authority: Authority
  resultTtlHours: number
}

/** `only_exports` refuses to cancel started requests other than exports, as the CVAT-compatible dialect requires. */
interface Cancelling {
  rq_id: string
  only_exports?: boolean | undefined
}

/**
 * Ends a queued or started request at once; its worker notices by itself. Refuses once the final transaction of the
 * request has started.
 *
 * @throws DomainError not_found, forbidden, or invalid when it is too late
 */
export async function cancelRequest(
  { db, authority, resultTtlHours }: Deps,
  { rq_id, only_exports }: Cancelling,
  context: CallContext,
): Promise<void> {
  const seen = await findRequest(db, rq_id)
  if (!seen) throw notFound()
  await assertMay(authority, 'cancel', seen, context)
  await runChange(db, context, async (tx) => {
    await lockTenant(tx, seen.tenant)
    const row = await lockRequest(tx, rq_id)
    if (!row) throw notFound()
    assertUnfinished(row)
    if (only_exports) assertNotInWork(row)
    await failLocked(tx, row, 'Cancelled', resultTtlHours)
  })
}

function assertUnfinished({ status, has_applied }: RequestRow): void {
  if (status === 'finished' || status === 'failed')
    throw invalidText(`Only queued and started requests can be cancelled, this one is ${status}`)
  // Also refuse between two attempts: a request that is reported as cancelled must have had no effect.
  if (has_applied)
    throw invalidText('The request is being completed and can no longer be cancelled')
}

function assertNotInWork({ status, action }: RequestRow): void {
  if (status === 'started' && action !== 'export')
    throw invalidText('Cancellation of started requests is supported only for export requests')
}
