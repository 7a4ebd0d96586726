import { expect, test } from 'vitest'
import {
  canCreateTasks,
  isAbove,
  isLeader,
  isOwner,
  type MembershipRole,
  rolesToGive,
} from './roles.ts'

const as = (role: MembershipRole | undefined, isAdmin = false) => ({ role, isAdmin })

test('owners can give every role below theirs, maintainers those below theirs, and others none', () => {
  expect(rolesToGive(as('owner'))).toEqual(['worker', 'supervisor', 'maintainer'])
  expect(rolesToGive(as('maintainer'))).toEqual(['worker', 'supervisor'])
  expect(rolesToGive(as('supervisor'))).toEqual([])
  expect(rolesToGive(as(undefined))).toEqual([])
})

test('an administrator has the rights of an owner, also without being a member', () => {
  expect(isOwner(as(undefined, true))).toBe(true)
  expect(isLeader(as('worker', true))).toBe(true)
})

test('no role is above an owner, and maintainers are not above each other', () => {
  expect(isAbove(as('owner'), 'owner')).toBe(false)
  expect(isAbove(as('owner'), 'maintainer')).toBe(true)
  expect(isAbove(as('maintainer'), 'maintainer')).toBe(false)
  expect(isAbove(as('maintainer'), 'worker')).toBe(true)
  expect(isAbove(as('worker'), 'worker')).toBe(false)
})

test('server role and organization role decide whether a user may create projects and tasks', () => {
  const user = { groups: ['user'] }
  expect(
    [as(undefined), as('owner'), as('supervisor')].every((one) => canCreateTasks(user, one)),
  ).toBe(true)
  expect(canCreateTasks(user, as('worker'))).toBe(false)
  expect(canCreateTasks({ groups: ['worker'] }, as('owner'))).toBe(false)
  expect(canCreateTasks({ groups: ['admin'] }, as('worker', true))).toBe(true)
})
