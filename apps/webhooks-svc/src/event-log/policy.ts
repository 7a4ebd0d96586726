import type { Principal } from '@reticle/contracts/principal'
import type { EventFilter } from '@reticle/contracts/rest/events'
import { forbidden, type Rule } from '@reticle/kit'
import { permits } from '@reticle/kit/policy'

const any = { role: 'any' } as const

/** Who may tell and read events: `spec/api-workspace.md` 2.5 and 6.3. An `event actor` is who did what is told. */
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
 * The part of the log that is asked for, as far as the caller sees it: everything, or what they did themselves. The workspace
 * that the request names narrows it too (`spec/api-workspace.md` 1.9).
 *
 * @throws DomainError forbidden when it names events of others that the caller may not see
 */
export function visiblePart(asked: EventFilter, caller: Principal): EventFilter {
  const part = { ...asked, ...workspaceOf(asked, caller) }
  const mayRead = (relations: readonly string[]) =>
    permits(eventRules, 'export', caller, {
      organization_id: part.org_id,
      organization_role: part.org_id === null ? null : roleIn(caller, part.org_id),
      relations,
    })
  if (mayRead([])) return part
  const isOthers = asked.user_id !== null && asked.user_id !== caller.user_id
  if (isOthers || !mayRead(['event actor'])) throw forbidden()
  return { ...part, user_id: caller.user_id }
}

const roleIn = ({ organization_roles }: Principal, id: number) => organization_roles[id] ?? null

/** An organization that the query names is the scope of the request, too. */
function workspaceOf({ org_id, is_personal }: EventFilter, { scope }: Principal) {
  if (org_id !== null || scope === null) return { org_id, is_personal }
  return { org_id: scope.organization_id, is_personal: scope.organization_id === null }
}
