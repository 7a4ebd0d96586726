import type { OperationInput } from '@reticle/contracts/api/operation'
import type { tasks } from '@reticle/contracts/api/tasks'
import type { Principal } from '@reticle/contracts/rest/principal'
import { taskFields } from '@reticle/contracts/rest/tasks'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import { ownProjects, visibleIn, withoutScope } from '../access/repo-scope.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { selectTasks, type TaskView } from './repo.ts'

type Query = OperationInput<typeof tasks.listTasks>

const columns = {
  id: 'tasks.id',
  project_id: 'tasks.project_id',
  name: 'tasks.name',
  owner: 'owner.username',
  assignee: 'assignee.username',
  status: 'tasks.status',
  subset: 'tasks.subset',
  mode: 'tasks.mode',
  dimension: 'tasks.dimension',
  tracker_link: 'tasks.bug_tracker',
  validation_mode: 'tasks.validation_mode',
  created_date: 'tasks.created_date',
  updated_date: 'tasks.updated_date',
  size: 'tasks.size',
} as const satisfies Omit<ColumnsOf<typeof taskFields>, 'project_name'>

/** Lists a page of the tasks that the caller may see. */
export function listTasks(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<TaskView>> {
  const rows = selectTasks(db)
    .leftJoin('users as owner', 'owner.id', 'tasks.owner_id')
    .leftJoin('users as assignee', 'assignee.id', 'tasks.assignee_id')
    .where('tasks.draft_id', 'is', null)
    .where(query.project_id === undefined ? visibleTo(principal) : visibleInProject(principal))
  return listPage(rows, query, taskFields, { ...columns, project_name: projectName(principal) })
}

/** Restricts to task staff. Each of the columns has an index, so own tasks are found among many of other users. */
export function visibleTo(principal: Principal) {
  const { user_id } = principal
  const isStaff = sql<SqlBool>`(tasks.owner_id = ${user_id} or tasks.assignee_id = ${user_id}
    or tasks.project_id = any(${ownProjects(user_id)}))`
  return visibleIn(principal, { organization: sql.ref('tasks.organization_id'), isStaff })
}

/** Applies the same restriction to one project, whose row is read once. */
function visibleInProject(principal: Principal) {
  const isStaff = sql<SqlBool>`${principal.user_id} in (
    tasks.owner_id, tasks.assignee_id, projects.owner_id, projects.assignee_id)`
  return visibleIn(principal, { organization: sql.ref('tasks.organization_id'), isStaff })
}

/** Hides the name of a project that the caller may not view, as in the record, so that it cannot be filtered by. */
function projectName(principal: Principal) {
  const isStaff = sql<SqlBool>`${principal.user_id} in (projects.owner_id, projects.assignee_id)`
  const organization = sql.ref('tasks.organization_id')
  const isShown = visibleIn(withoutScope(principal), { organization, isStaff })
  return sql<string | null>`case when ${isShown} then projects.name end`
}
