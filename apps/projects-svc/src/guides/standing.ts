import type { Standing } from '@reticle/kit/policy'
import { type Caller, projectStanding, taskStanding } from '../access/standing.ts'

/** People of the project or task of a guide. */
export interface TargetPeople {
  /** Null: the target is a project. */
  task_id: number | null
  task_owner_id: number | null
  task_assignee_id: number | null
  project_owner_id: number | null
  project_assignee_id: number | null
  organization_id: number | null
  /** Whether the caller is assigned to a job of the target. */
  has_job: boolean
}

/** Returns the relations of a caller to a guide, derived from those to its target. */
export function guideStanding(caller: Caller, people: TargetPeople): Standing {
  const target = people.task_id === null ? ofProject(caller, people) : ofTask(caller, people)
  const kind = people.task_id === null ? 'project' : 'task'
  return {
    ...target,
    relations: [
      ...(target.relations.includes(`${kind} staff`) ? ['target staff'] : []),
      ...(people.has_job ? ['job assignee of the target'] : []),
    ],
  }
}

function ofProject(caller: Caller, people: TargetPeople): Standing {
  const { project_owner_id: owner_id, project_assignee_id: assignee_id, organization_id } = people
  return projectStanding(caller, { owner_id, assignee_id, organization_id })
}

function ofTask(caller: Caller, people: TargetPeople): Standing {
  const { task_owner_id: owner_id, task_assignee_id: assignee_id } = people
  return taskStanding(caller, { ...people, owner_id, assignee_id })
}
