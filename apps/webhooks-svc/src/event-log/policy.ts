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
 * The part of the log that is asked for, as far as the caller sees it: everything, or what they did themselves.
 *
 * @throws DomainError forbidden when it names events of others that the caller may not see
 */
export function visiblePart(asked: EventFilter, caller: Principal): EventFilter {
  const mayRead = (relations: readonly string[]) =>
    permits(eventRules, 'export', caller, {
      organization_id: asked.org_id,
      organization_role: null,
      relations,
    })
  if (mayRead([])) return asked
  const isOthers = asked.user_id !== null && asked.user_id !== caller.user_id
  if (isOthers || !mayRead(['event actor'])) throw forbidden()
  return { ...asked, user_id: caller.user_id }
}
