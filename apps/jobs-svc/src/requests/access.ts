import type { tasks } from '@reticle/contracts/api/tasks'
import {
  assertPermitted,
  type CallContext,
  DomainError,
  type Service,
  signedIn,
} from '@reticle/kit'
import type { RequestRow } from '../db/schema.ts'
import { type RequestRelation, requestRules } from './policy.ts'

/** Part of the task service that returns the relations of a caller to a task or job. */
export type Authority = Pick<Service<typeof tasks>, 'authorize'>

/**
 * Checks the permission of a caller for a request.
 *
 * @throws DomainError forbidden unless the caller may do `action` with this request
 */
export async function assertMay(
  authority: Authority,
  action: 'view' | 'cancel' | 'download',
  row: RequestRow,
  context: CallContext,
): Promise<void> {
  const caller = signedIn(context)
  const relations: RequestRelation[] = row.owner_id === caller.user_id ? ['request owner'] : []
  if (relations.length === 0 && action === 'view' && isShared(row) && caller.role !== 'admin')
    if (await maySeeTarget(authority, row, context)) relations.push('target viewer')
  assertPermitted(requestRules, action, caller, {
    organization_id: null,
    organization_role: null,
    relations,
  })
}

/**
 * Imports and creations are one per object, so every user with access to the object may follow them. A restore of a
 * backup has an object only at its end.
 */
const isShared = ({ action, subresource }: RequestRow) =>
  action !== 'export' && subresource !== 'backup'

async function maySeeTarget(
  authority: Authority,
  { target, target_id: id }: RequestRow,
  context: CallContext,
) {
  if (target === 'events') return false
  try {
    await authority.authorize({ target, id, action: 'view' }, context)
    return true
  } catch (thrown) {
    const isNo = thrown instanceof DomainError && ['forbidden', 'not_found'].includes(thrown.kind)
    if (isNo) return false
    throw thrown
  }
}
