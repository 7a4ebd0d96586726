import type { issues } from '@reticle/contracts/api/issues'
import type { OperationInput } from '@reticle/contracts/api/operation'
import { issueFields } from '@reticle/contracts/rest/issues'
import type { Principal } from '@reticle/contracts/rest/principal'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import { visibleIn } from '../../access/repo-scope.ts'
import type { ProjectsDb } from '../../db/schema.ts'
import { type IssueView, selectIssues } from './repo.ts'

type Query = OperationInput<typeof issues.listIssues>

const columns = {
  id: 'issues.id',
  owner: 'owner.username',
  assignee: 'assignee.username',
  job_id: 'issues.job_id',
  task_id: 'jobs.task_id',
  resolved: 'issues.resolved',
  frame_id: 'issues.frame',
  created_date: 'issues.created_date',
  updated_date: 'issues.updated_date',
} as const satisfies ColumnsOf<typeof issueFields>

/** Lists a page of the issues that the caller may see. */
export function listIssues(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<IssueView>> {
  const rows = selectIssues(db)
    .leftJoin('users as owner', 'owner.id', 'issues.owner_id')
    .leftJoin('users as assignee', 'assignee.id', 'issues.assignee_id')
    .where('tasks.draft_id', 'is', null)
    .where(visibleTo(principal))
  return listPage(rows, query, issueFields, columns)
}

/** Restricts to the staff of an issue. */
function visibleTo(principal: Principal) {
  const isStaff = sql<SqlBool>`${principal.user_id} in (
    issues.owner_id, issues.assignee_id, jobs.assignee_id, tasks.owner_id, tasks.assignee_id,
    projects.owner_id, projects.assignee_id)`
  return visibleIn(principal, { organization: sql.ref('tasks.organization_id'), isStaff })
}
