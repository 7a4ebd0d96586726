import type { OrganizationRole, Principal } from '@reticle/contracts/rest/principal'
import { hasPermission } from '@reticle/kit/call/policy'
import { describe, expect, test } from 'vitest'
import { cloudStorageRules } from './policy.ts'
import { cloudStorageStanding } from './standing.ts'

/** Permissions on cloud storages for every owner relation, global role, organization role and action. */

const roles: Principal['role'][] = [null, 'worker', 'user']
const members = ['owner', 'maintainer', 'supervisor', 'worker'] as const
const actions = ['create', 'view', 'update', 'delete']

function may(
  action: string,
  role: Principal['role'],
  given: { isOwner: boolean; member?: OrganizationRole; isOutside?: boolean },
) {
  const { isOwner, member, isOutside = false } = given
  const organization_id = member || isOutside ? 9 : null
  const organization_roles: Principal['organization_roles'] = member ? { 9: member } : {}
  const caller = { user_id: 1, role, organization_roles }
  const standing = cloudStorageStanding(caller, { owner_id: isOwner ? 1 : 2, organization_id })
  return hasPermission(cloudStorageRules, action, caller, standing)
}

describe.each(roles)('a user with the global role %s', (role) => {
  test('outside organizations has permissions only on their own storages', () => {
    for (const isOwner of [true, false]) {
      expect(may('create', role, { isOwner })).toBe(role === 'user')
      expect(may('view', role, { isOwner })).toBe(isOwner)
      for (const action of ['update', 'delete'])
        expect(may(action, role, { isOwner }), action).toBe(isOwner && role !== null)
    }
  })

  test.each(members)('a %s of the organization', (member) => {
    const leads = (member === 'owner' || member === 'maintainer') && role === 'user'
    const supervises = member === 'supervisor' && role === 'user'
    for (const isOwner of [true, false]) {
      const given = { isOwner, member }
      expect(may('create', role, given)).toBe(leads)
      expect(may('view', role, given)).toBe(leads || supervises || isOwner)
      for (const action of ['update', 'delete'])
        expect(may(action, role, given), action).toBe(leads || (isOwner && role !== null))
    }
  })

  test('outside the organization has no permission, even as the owner of the storage', () => {
    for (const action of actions)
      expect(may(action, role, { isOwner: true, isOutside: true }), action).toBe(false)
  })
})
