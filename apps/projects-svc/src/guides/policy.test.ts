import type { OrganizationRole, Principal } from '@reticle/contracts/rest/principal'
import { hasPermission } from '@reticle/kit/call/policy'
import { describe, expect, test } from 'vitest'
import { guideRules } from './policy.ts'
import { guideStanding } from './standing.ts'

/** Permissions on guides for every target, role, relation and action. */

const strangerValue = 2
const around = {
  task_owner_id: strangerValue,
  task_assignee_id: strangerValue,
  project_owner_id: strangerValue,
  project_assignee_id: strangerValue,
  has_job: false,
}
const places = {
  'project owner': { project_owner_id: 1 },
  'project assignee': { project_assignee_id: 1 },
  'task owner': { task_owner_id: 1 },
  'task assignee': { task_assignee_id: 1 },
  'job assignee': { has_job: true },
  stranger: {},
} as const
type Place = keyof typeof places
const everywhere: Place[] = [
  'project owner',
  'project assignee',
  'task owner',
  'task assignee',
  'job assignee',
  'stranger',
]
const projectStaff: Place[] = ['project owner', 'project assignee']
const taskStaff: Place[] = [...projectStaff, 'task owner', 'task assignee']

const roles: Principal['role'][] = [null, 'worker', 'user']
const reading = ['view', 'view:assets']
const actions = [...reading, 'create', 'update', 'delete', 'add:assets', 'remove:assets']

describe.each([
  ['project', null, projectStaff],
  ['task', 5, taskStaff],
] as const)('the guide of a %s', (_, task_id, staff) => {
  const may = (
    place: Place,
    role: Principal['role'],
    action: string,
    member?: OrganizationRole,
  ) => {
    const organization_id = member === undefined ? null : 9
    const people = { ...around, ...places[place], task_id, organization_id }
    const organization_roles: Principal['organization_roles'] = member ? { 9: member } : {}
    const caller = { user_id: 1, role, organization_roles }
    return hasPermission(guideRules, action, caller, guideStanding(caller, people))
  }

  test.each(everywhere)('the permissions of a %s', (place) => {
    const isStaff = staff.some((one) => one === place)
    for (const role of roles)
      for (const action of actions) {
        const reads =
          reading.includes(action) && role !== null && (isStaff || place === 'job assignee')
        const writes = role === 'user' && isStaff
        const expected = reads || writes
        expect(may(place, role, action), `${role} ${action}`).toBe(expected)
        for (const member of ['supervisor', 'worker'] as const)
          expect(may(place, role, action, member), `${member} ${action}`).toBe(expected)
      }
  })

  test.each(actions)(
    'owners and maintainers of the organization with the role user may %s',
    (action) => {
      for (const leader of ['owner', 'maintainer'] as const) {
        expect(may('stranger', 'user', action, leader)).toBe(true)
        expect(may('stranger', 'worker', action, leader)).toBe(false)
      }
    },
  )
})
