import type { EventFilter } from '@reticle/contracts/rest/events'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { Relation } from '@reticle/contracts/rest/relations'
import { forbidden, type Rule } from '@reticle/kit'
import { hasPermission } from '@reticle/kit/call/policy'

const any = { role: 'any' } as const

/** Permissions to send and export events. The relation `event actor` means the user that caused the event. */
export const eventRules: readonly Rule[] = [
  { action: 'send', sandbox: any, leader: any, member: any },
  {
    action: 'export',
    sandbox: { is: ['event actor'], role: 'worker' },
    leader: { role: 'user' },
    member: { is: ['event actor'], role: 'user' },
  },
]

/**
 * Restricts a filter to the events that the caller may read: all of them, or only their own. The workspace that the
 * request names restricts it too.
 *
 * @throws DomainError forbidden when the filter names events of others that the caller may not read
 */
export function visiblePart(filter: EventFilter, caller: Principal): EventFilter {
  const part = { ...filter, ...workspaceOf(filter, caller) }
  const mayRead = (relations: readonly Relation[]) =>
    hasPermission(eventRules, 'export', caller, {
      organization_id: part.org_id,
      organization_role: part.org_id === null ? null : roleIn(caller, part.org_id),
      relations,
    })
  if (mayRead([])) return part
  const isOthers = filter.user_id !== null && filter.user_id !== caller.user_id
  if (isOthers || !mayRead(['event actor'])) throw forbidden()
  return { ...part, user_id: caller.user_id }
}

const roleIn = ({ organization_roles }: Principal, id: number) => organization_roles[id] ?? null

/** An organization in the query takes precedence over the workspace of the request. */
function workspaceOf({ org_id, is_personal }: EventFilter, { scope }: Principal) {
  if (org_id !== null || scope === null) return { org_id, is_personal }
  return { org_id: scope.organization_id, is_personal: scope.organization_id === null }
}
