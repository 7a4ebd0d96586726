import type { OperationInput } from '@reticle/contracts/api/operation'
import type { projects } from '@reticle/contracts/api/projects'
import type { Principal } from '@reticle/contracts/rest/principal'
import { projectFields } from '@reticle/contracts/rest/projects'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import { visibleIn } from '../access/repo-scope.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'

type Query = OperationInput<typeof projects.listProjects>

const columns = {
  id: 'projects.id',
  name: 'projects.name',
  owner: 'owner.username',
  assignee: 'assignee.username',
  status: 'projects.status',
  created_date: 'projects.created_date',
  updated_date: 'projects.updated_date',
} as const satisfies ColumnsOf<typeof projectFields>

/** Lists a page of the projects that the caller may see. */
export function listProjects(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<ProjectRow>> {
  const rows = db
    .selectFrom('projects')
    .leftJoin('users as owner', 'owner.id', 'projects.owner_id')
    .leftJoin('users as assignee', 'assignee.id', 'projects.assignee_id')
    .selectAll('projects')
    .where('projects.draft_id', 'is', null)
    .where(visibleTo(principal))
  return listPage(rows, query, projectFields, columns)
}

/** Restricts to project staff. */
function visibleTo(principal: Principal) {
  const isStaff = sql<SqlBool>`${principal.user_id} in (projects.owner_id, projects.assignee_id)`
  return visibleIn(principal, { organization: sql.ref('projects.organization_id'), isStaff })
}
