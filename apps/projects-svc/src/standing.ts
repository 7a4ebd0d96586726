import type { Principal } from '@reticle/contracts/principal'
import type { Standing } from '@reticle/kit/policy'

/** How a caller stands to projects, tasks and jobs (`spec/api-workspace.md` 2.5, staff). Pure. */

type Caller = Pick<Principal, 'user_id'>
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

/** How everybody stands to what is about to be made outside of organizations. */
export const sandbox: Standing = inSandbox({ organization_id: null }, [])

export function projectStanding(caller: Caller, people: ProjectPeople): Standing {
  return inSandbox(people, projectRelations(caller, people.owner_id, people.assignee_id))
}

export function taskStanding(caller: Caller, people: TaskPeople): Standing {
  const { project_owner_id, project_assignee_id } = people
  const above = projectRelations(caller, project_owner_id, project_assignee_id)
  return inSandbox(people, taskRelations(caller, people.owner_id, people.assignee_id, above))
}

export function jobStanding(caller: Caller, people: JobPeople): Standing {
  const above = projectRelations(caller, people.project_owner_id, people.project_assignee_id)
  const task = taskRelations(caller, people.task_owner_id, people.task_assignee_id, above)
  const isStaff = people.assignee_id === caller.user_id || task.includes('task staff')
  return inSandbox(people, [...task, ...(isStaff ? ['job staff'] : [])])
}

function inSandbox({ organization_id }: { organization_id: number | null }, relations: string[]) {
  return { organization_id, organization_role: null, relations }
}

function projectRelations({ user_id }: Caller, owner_id: Person, assignee_id: Person): string[] {
  const isOwner = owner_id === user_id
  const isStaff = isOwner || assignee_id === user_id
  return [...(isOwner ? ['project owner'] : []), ...(isStaff ? ['project staff'] : [])]
}

function taskRelations(
  { user_id }: Caller,
  owner_id: Person,
  assignee_id: Person,
  above: readonly string[],
): string[] {
  const isOwner = owner_id === user_id
  const isStaff = isOwner || assignee_id === user_id || above.includes('project staff')
  return [...above, ...(isOwner ? ['task owner'] : []), ...(isStaff ? ['task staff'] : [])]
}
