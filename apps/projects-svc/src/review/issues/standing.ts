import { listRelations, type Standing } from '@reticle/kit/call/policy'
import { type Caller, type JobPeople, jobStaffStanding } from '../../access/standing.ts'

/** People of the job, task and project of an issue. */
export interface AroundIssue extends Omit<JobPeople, 'assignee_id'> {
  job_assignee_id: number | null
}

export interface IssuePeople extends AroundIssue {
  owner_id: number | null
  assignee_id: number | null
}

/** Returns the relations of a caller to an issue. */
export function issueStanding(caller: Caller, people: IssuePeople): Standing {
  const job = jobStaffStanding(caller, { ...people, assignee_id: people.job_assignee_id })
  const isOwner = people.owner_id === caller.user_id
  const isAssignee = people.assignee_id === caller.user_id
  const isStaff = isOwner || isAssignee || job.relations.includes('job staff')
  return {
    ...job,
    relations: [
      ...job.relations,
      ...listRelations({ 'issue owner': isOwner, 'issue staff': isStaff }),
    ],
  }
}
