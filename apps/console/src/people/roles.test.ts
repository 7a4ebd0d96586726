import { expect, test } from 'vitest'
import { isAbove, isLeader, isMaker, isOwner, type Role, rolesToGive } from './roles.ts'

const as = (role: Role | undefined, isAdmin = false) => ({ role, isAdmin })

test('owners give every role but their own, maintainers those below them, others none', () => {
  expect(rolesToGive(as('owner'))).toEqual(['worker', 'supervisor', 'maintainer'])
  expect(rolesToGive(as('maintainer'))).toEqual(['worker', 'supervisor'])
  expect(rolesToGive(as('supervisor'))).toEqual([])
  expect(rolesToGive(as(undefined))).toEqual([])
})

test('an administrator stands as the owner does, also without being a member', () => {
  expect(isOwner(as(undefined, true))).toBe(true)
  expect(isLeader(as('worker', true))).toBe(true)
})

test('nobody is above an owner, and maintainers are not above one another', () => {
  expect(isAbove(as('owner'), 'owner')).toBe(false)
  expect(isAbove(as('owner'), 'maintainer')).toBe(true)
  expect(isAbove(as('maintainer'), 'maintainer')).toBe(false)
  expect(isAbove(as('maintainer'), 'worker')).toBe(true)
  expect(isAbove(as('worker'), 'worker')).toBe(false)
})

test('makers are who may, on the server and in the organization', () => {
  const user = { groups: ['user'] }
  expect([as(undefined), as('owner'), as('supervisor')].every((one) => isMaker(user, one))).toBe(
    true,
  )
  expect(isMaker(user, as('worker'))).toBe(false)
  expect(isMaker({ groups: ['worker'] }, as('owner'))).toBe(false)
  expect(isMaker({ groups: ['admin'] }, as('worker', true))).toBe(true)
})
