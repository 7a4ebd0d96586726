import type { Issue } from '@reticle/contracts/rest/issues'
import { type People, personOf } from '../../organizations/index.ts'
import type { IssueView } from './repo.ts'

/** Returns job, task, project and organization of an issue or comment, for its events. */
export const parentsOf = ({
  job_id,
  task_id,
  project_id,
  organization_id,
}: IssueParents): IssueParents => ({
  job_id,
  task_id,
  project_id,
  organization_id,
})
type IssueParents = Pick<IssueView, 'job_id' | 'task_id' | 'project_id' | 'organization_id'>

/** Converts a row to an issue record. */
export function toIssue(row: IssueView, people: People): Issue {
  return {
    id: row.id,
    frame: row.frame,
    position: row.position,
    job: row.job_id,
    owner: personOf(people, row.owner_id),
    assignee: personOf(people, row.assignee_id),
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
    resolved: row.resolved,
    comments: { count: row.comments_count, url: `/comments?issue_id=${row.id}` },
  }
}
