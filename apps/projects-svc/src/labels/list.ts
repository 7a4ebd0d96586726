import type { labels } from '@reticle/contracts/api/labels'
import type { OperationInput } from '@reticle/contracts/api/operation'
import { labelFields } from '@reticle/contracts/rest/labels'
import type { Principal } from '@reticle/contracts/rest/principal'
import { hasAnyField } from '@reticle/kit/list/filter'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { Owner } from '../access/owner.ts'
import { visibleIn } from '../access/repo-scope.ts'
import type { LabelRow, ProjectsDb } from '../db/schema.ts'

/** Query without the owner (the project or task of the labels), which is resolved first. */
type Query = Omit<OperationInput<typeof labels.listLabels>, 'project_id' | 'task_id' | 'job_id'>

const columns = {
  id: 'labels.id',
  name: 'labels.name',
  parent: 'parent.name',
  parent_id: 'labels.parent_id',
  type: 'labels.type',
  color: 'labels.color',
} as const satisfies ColumnsOf<typeof labelFields>

/**
 * Lists a page of labels: those of `owner`, or all that the caller may see. Lists only top-level labels, unless the
 * query has a condition on the parent. Labels of drafts are not listed.
 */
export function listLabels(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
  owner: Owner | null,
): Promise<ListPage<LabelRow>> {
  const rows = db
    .selectFrom('labels')
    .leftJoin('labels as parent', 'parent.id', 'labels.parent_id')
    .leftJoin('projects', 'projects.id', 'labels.project_id')
    .leftJoin('tasks', 'tasks.id', 'labels.task_id')
    .selectAll('labels')
    .where(owner ? belongingTo(owner) : visibleTo(principal))
    .where(sql<SqlBool>`coalesce(projects.draft_id, tasks.draft_id) is null`)
    .where(hasParentFilter(query) ? sql<SqlBool>`true` : sql<SqlBool>`labels.parent_id is null`)
  return listPage(rows, query, labelFields, columns)
}

function hasParentFilter({ parent, parent_id, filter }: Query): boolean {
  const isGiven = parent !== undefined || parent_id !== undefined
  return isGiven || (filter !== undefined && hasAnyField(filter, ['parent', 'parent_id']))
}

const belongingTo = ({ kind, id }: Owner) => sql<SqlBool>`${sql.ref(`labels.${kind}_id`)} = ${id}`

/** Restricts to labels of projects and tasks that the caller may see: as owner, assignee, leader or administrator. */
function visibleTo(principal: Principal) {
  const isStaff = sql<SqlBool>`${principal.user_id} in (
    projects.owner_id, projects.assignee_id, tasks.owner_id, tasks.assignee_id)`
  const organization = sql`coalesce(projects.organization_id, tasks.organization_id)`
  return visibleIn(principal, { organization, isStaff })
}
