import type { Principal } from '@reticle/contracts/rest/principal'
import type { Relation } from '@reticle/contracts/rest/relations'
import { listRelations, type Standing } from '@reticle/kit/call/policy'
import { standingIn } from './roles.ts'

/** Relations of a caller to projects, tasks and jobs. */

/** Fields of a caller that decide its relations. */
export type Caller = Pick<Principal, 'user_id' | 'role' | 'organization_roles'>
type Person = number | null

export interface ProjectPeople {
  owner_id: Person
  assignee_id: Person
  organization_id: number | null
}

export interface TaskPeople extends ProjectPeople {
  project_owner_id: Person
  project_assignee_id: Person
}

export interface JobPeople {
  assignee_id: Person
  task_owner_id: Person
  task_assignee_id: Person
  project_owner_id: Person
  project_assignee_id: Person
  organization_id: number | null
}

export function projectStanding(caller: Caller, people: ProjectPeople): Standing {
  const relations = projectRelations(caller, people.owner_id, people.assignee_id)
  return standingIn(caller, people.organization_id, relations)
}

export function taskStanding(caller: Caller, people: TaskPeople): Standing {
  const { project_owner_id, project_assignee_id } = people
  const above = projectRelations(caller, project_owner_id, project_assignee_id)
  const relations = taskRelations(caller, people.owner_id, people.assignee_id, above)
  return standingIn(caller, people.organization_id, relations)
}

/**
 * Returns the relations of the caller to a job as a member of its workspace. Users outside its organization have
 * none.
 */
export function jobStaffStanding(caller: Caller, people: JobPeople): Standing {
  const above = projectRelations(caller, people.project_owner_id, people.project_assignee_id)
  const task = taskRelations(caller, people.task_owner_id, people.task_assignee_id, above)
  const isStaff = people.assignee_id === caller.user_id || task.includes('task staff')
  const relations = [...task, ...listRelations({ 'job staff': isStaff })]
  return standingIn(caller, people.organization_id, relations)
}

/** Returns the relations of the caller to a job, including those of guests. */
export function jobStanding(caller: Caller, people: JobPeople): Standing {
  const standing = jobStaffStanding(caller, people)
  const isOutside = people.organization_id !== null && standing.organization_role === null
  const isAssigned = people.assignee_id === caller.user_id
  if (!isOutside || !isAssigned || !worksAsGuest(caller)) return standing
  return { ...standing, organization_role: 'guest', relations: ['guest'] }
}

/**
 * Returns whether the caller can be a guest: a worker who is assigned to a job of an organization without being its
 * member sees and annotates that job only.
 */
export const worksAsGuest = ({ role }: Pick<Principal, 'role'>) => role === 'worker'

function projectRelations({ user_id }: Caller, owner_id: Person, assignee_id: Person): Relation[] {
  const isOwner = owner_id === user_id
  const isStaff = isOwner || assignee_id === user_id
  return listRelations({ 'project owner': isOwner, 'project staff': isStaff })
}

function taskRelations(
  { user_id }: Caller,
  owner_id: Person,
  assignee_id: Person,
  above: readonly Relation[],
): Relation[] {
  const isOwner = owner_id === user_id
  const isStaff = isOwner || assignee_id === user_id || above.includes('project staff')
  return [...above, ...listRelations({ 'task owner': isOwner, 'task staff': isStaff })]
}
