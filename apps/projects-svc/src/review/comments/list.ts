import type { issues } from '@reticle/contracts/api/issues'
import type { OperationInput } from '@reticle/contracts/api/operation'
import { commentFields } from '@reticle/contracts/rest/comments'
import type { Principal } from '@reticle/contracts/rest/principal'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import { visibleIn } from '../../access/repo-scope.ts'
import type { ProjectsDb } from '../../db/schema.ts'
import { type CommentView, selectComments } from './repo.ts'

type Query = OperationInput<typeof issues.listComments>

const columns = {
  id: 'comments.id',
  owner: 'owner.username',
  issue_id: 'comments.issue_id',
  job_id: 'issues.job_id',
  frame_id: 'issues.frame',
  created_date: 'comments.created_date',
  updated_date: 'comments.updated_date',
} as const satisfies ColumnsOf<typeof commentFields>

/** Lists a page of the comments that the caller may see. */
export function listComments(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<CommentView>> {
  const rows = selectComments(db)
    .leftJoin('users as owner', 'owner.id', 'comments.owner_id')
    .where('tasks.draft_id', 'is', null)
    .where(visibleTo(principal))
  return listPage(rows, query, commentFields, columns)
}

/** Restricts to the staff of the issue and the author of the comment. */
function visibleTo(principal: Principal) {
  const isStaff = sql<SqlBool>`${principal.user_id} in (
    comments.owner_id, issues.owner_id, issues.assignee_id, jobs.assignee_id,
    tasks.owner_id, tasks.assignee_id, projects.owner_id, projects.assignee_id)`
  return visibleIn(principal, { organization: sql.ref('tasks.organization_id'), isStaff })
}
