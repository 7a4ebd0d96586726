import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Permissions on organizations (`docs/spec/access.md#permissions`). */

const anyMember: Grant = { role: 'any' }
/** Includes an owner or maintainer with the global role worker. */
const leader: Grant = { is: ['leader'], role: 'worker' }
const owner: Grant = { is: ['organization owner'], role: 'worker' }

/**
 * Returns the rules of organizations.
 *
 * @param least lowest global role that may create one (`RETICLE_PROJECTS_ORGANIZATION_MIN_ROLE`)
 */
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

/** Rules with the default setting. */
export const organizationRules = rulesFor('user')
