import type { Relation } from '@reticle/contracts/rest/relations'
import { describe, expect, test } from 'vitest'
import { assertPermitted, hasPermission, type Rule, type Standing } from './policy.ts'

/** Evaluation of a table of permission rules. See docs/spec/access.md#permissions. */

const rules: readonly Rule[] = [
  {
    action: 'open',
    sandbox: { is: ['author', 'guest'], role: 'any' },
    leader: { role: 'user' },
    member: { is: ['guest'], role: 'worker' },
  },
  {
    action: 'lock',
    sandbox: { is: ['author'], role: 'worker' },
    leader: 'nobody',
    member: 'nobody',
  },
  { action: 'look', sandbox: { role: 'any' }, leader: { role: 'any' }, member: { role: 'any' } },
]

const roles = ['admin', 'user', 'worker', null] as const
const alone = (...relations: Relation[]): Standing => ({
  organization_id: null,
  organization_role: null,
  relations,
})
const within = (organization_role: string | null, ...relations: Relation[]): Standing => ({
  organization_id: 5,
  organization_role,
  relations,
})

/** Returns which of the roles admin, user, worker and no role are permitted. */
const whoMay = (action: string, standing: Standing) =>
  roles.filter((role) => hasPermission(rules, action, { role }, standing))

describe('without an organization', () => {
  test.each([
    ['open', alone('guest'), ['admin', 'user', 'worker', null]],
    ['open', alone('author'), ['admin', 'user', 'worker', null]],
    ['open', alone(), ['admin']],
    ['open', alone('invitee'), ['admin']],
    ['lock', alone('author'), ['admin', 'user', 'worker']],
    ['lock', alone('guest'), ['admin']],
    ['look', alone(), ['admin', 'user', 'worker', null]],
  ])('%s as %j is permitted to %j', (action, standing, expected) => {
    expect(whoMay(action, standing)).toEqual(expected)
  })
})

describe('in an organization', () => {
  test.each([
    ['open', within('owner'), ['admin', 'user']],
    ['open', within('maintainer'), ['admin', 'user']],
    ['open', within('supervisor'), ['admin']],
    ['open', within('supervisor', 'guest'), ['admin', 'user', 'worker']],
    ['open', within('worker', 'guest'), ['admin', 'user', 'worker']],
    ['open', within('worker', 'author'), ['admin']],
    ['lock', within('owner', 'author'), ['admin']],
    ['look', within(null), ['admin']],
    ['open', within(null, 'guest', 'author'), ['admin']],
  ])('%s as %j is permitted to %j', (action, standing, expected) => {
    expect(whoMay(action, standing)).toEqual(expected)
  })

  test('an owner with the global role worker counts as a member', () => {
    expect(hasPermission(rules, 'open', { role: 'worker' }, within('owner'))).toBe(false)
    expect(hasPermission(rules, 'open', { role: 'worker' }, within('owner', 'guest'))).toBe(true)
  })
})

test('an action without a rule is a bug, even for administrators', () => {
  expect(() => hasPermission(rules, 'fly', { role: 'admin' }, alone())).toThrow(
    'no rule for the action fly',
  )
})

test('allow throws if the action is not permitted', () => {
  assertPermitted(rules, 'look', { role: null }, alone())
  expect(() => assertPermitted(rules, 'open', { role: 'user' }, alone())).toThrow(
    expect.objectContaining({
      kind: 'forbidden',
      message: 'You do not have permission to perform this action.',
    }),
  )
})
