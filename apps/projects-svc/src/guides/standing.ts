import { listRelations, type Standing } from '@reticle/kit/call/policy'
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
  const staff = people.task_id === null ? 'project staff' : 'task staff'
  return {
    ...target,
    relations: listRelations({
      'target staff': target.relations.includes(staff),
      'job assignee of the target': people.has_job,
    }),
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
