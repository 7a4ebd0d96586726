import type { OrganizationRole, Principal } from '@reticle/contracts/rest/principal'
import { hasPermission } from '@reticle/kit/call/policy'
import { describe, expect, test } from 'vitest'
import { type Caller, jobStaffStanding } from '../../access/standing.ts'
import { commentRules } from '../comments/policy.ts'
import { commentStanding } from '../comments/standing.ts'
import { issueRules } from './policy.ts'
import { issueStanding } from './standing.ts'

/** Permissions on issues and comments for every role, relation and action. */

const user_id = 1
const strangerValue = 2
const around = {
  job_assignee_id: strangerValue,
  task_owner_id: strangerValue,
  task_assignee_id: strangerValue,
  project_owner_id: strangerValue,
  project_assignee_id: strangerValue,
  organization_id: null as number | null,
}
const comment = {
  ...around,
  issue_owner_id: strangerValue,
  issue_assignee_id: strangerValue,
  owner_id: strangerValue,
}
/** Column of a comment row for each relation. */
const places = {
  'project owner': 'project_owner_id',
  'project assignee': 'project_assignee_id',
  'task owner': 'task_owner_id',
  'task assignee': 'task_assignee_id',
  'job assignee': 'job_assignee_id',
  'issue owner': 'issue_owner_id',
  'issue assignee': 'issue_assignee_id',
  author: 'owner_id',
} as const
type Place = keyof typeof places | 'stranger'
const taskStaff: Place[] = ['project owner', 'project assignee', 'task owner', 'task assignee']
const jobStaff: Place[] = [...taskStaff, 'job assignee']
const issueStaff: Place[] = [...jobStaff, 'issue owner', 'issue assignee']
const everywhere: Place[] = [...issueStaff, 'author', 'stranger']

const roles: Principal['role'][] = [null, 'worker', 'user']
const rank = (role: Principal['role']) => roles.indexOf(role)

const rows: [string, string, Place[], Principal['role']][] = [
  ['issue', 'view', issueStaff, null],
  ['issue', 'create', jobStaff, 'worker'],
  ['issue', 'update', issueStaff, 'worker'],
  ['issue', 'delete', [...taskStaff, 'issue owner'], 'worker'],
  ['comment', 'view', [...issueStaff, 'author'], null],
  ['comment', 'create', issueStaff, 'worker'],
  ['comment', 'update', [...issueStaff, 'author'], 'worker'],
  ['comment', 'delete', [...issueStaff, 'author'], 'worker'],
]

function people(place: Place, organization_id: number | null) {
  const seated = place === 'stranger' ? {} : { [places[place]]: user_id }
  return { ...comment, ...seated, organization_id }
}

interface Standpoint {
  caller: Caller
  place: Place
  organization_id: number | null
}

function standing(
  resource: string,
  action: string,
  { caller, place, organization_id }: Standpoint,
) {
  const row = people(place, organization_id)
  const { issue_owner_id: owner_id, issue_assignee_id, job_assignee_id } = row
  const issue = issueStanding(caller, { ...row, owner_id, assignee_id: issue_assignee_id })
  if (resource === 'comment') return action === 'create' ? issue : commentStanding(caller, row)
  return action === 'create'
    ? jobStaffStanding(caller, { ...row, assignee_id: job_assignee_id })
    : issue
}

const rulesOf = (resource: string) => (resource === 'issue' ? issueRules : commentRules)

describe.each(rows)('%s %s', (resource, action, who, least) => {
  const may = (place: Place, role: Principal['role'], member?: OrganizationRole) => {
    const organization_id = member ? 9 : null
    const organization_roles: Principal['organization_roles'] = member ? { 9: member } : {}
    const caller = { user_id, role, organization_roles }
    const found = standing(resource, action, { caller, place, organization_id })
    return hasPermission(rulesOf(resource), action, caller, found)
  }

  test.each(everywhere)('a %s outside organizations has the expected permission', (place) => {
    const allowed = roles.filter((role) => may(place, role))
    const expected = who.includes(place) ? roles.filter((role) => rank(role) >= rank(least)) : []
    expect(allowed).toEqual(expected)
  })

  test.each(everywhere)(
    'a %s who is a supervisor or worker of the organization has the same permission',
    (place) => {
      for (const member of ['supervisor', 'worker'] as const)
        for (const role of roles) expect(may(place, role, member)).toBe(may(place, role))
    },
  )

  test('owners and maintainers of the organization are permitted, outsiders are not', () => {
    for (const leader of ['owner', 'maintainer'] as const) {
      expect(may('stranger', 'user', leader)).toBe(true)
      expect(may('stranger', 'worker', leader)).toBe(false)
    }
    expect(may('stranger', 'admin')).toBe(true)
  })
})
