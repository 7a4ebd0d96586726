import type { Grant, Rule } from '@reticle/kit/policy'

/** Who may do what with organizations: the rows of `spec/api-workspace.md` 2.5. */

const anyMember: Grant = { role: 'any' }
/** Also an owner or maintainer whose global role is only worker. */
const leader: Grant = { is: ['leader'], role: 'worker' }
const owner: Grant = { is: ['organization owner'], role: 'worker' }

/** @param least who may found organizations (`RETICLE_PROJECTS_ORGANIZATION_MIN_ROLE`) */
export function rulesFor(least: 'admin' | 'user' | 'worker'): readonly Rule[] {
  const founder: Grant | 'nobody' = least === 'admin' ? 'nobody' : { role: least }
  return [
    { action: 'create', sandbox: founder, leader: 'nobody', member: 'nobody' },
    { action: 'view', sandbox: 'nobody', leader: anyMember, member: anyMember },
    { action: 'update', sandbox: 'nobody', leader, member: leader },
    { action: 'delete', sandbox: 'nobody', leader: owner, member: owner },
    { action: 'transfer', sandbox: 'nobody', leader: owner, member: owner },
  ]
}

/** As they are when nobody decides otherwise. */
export const organizationRules = rulesFor('user')
