import type { Input } from '@reticle/contracts/api/operation'
import type { tasks } from '@reticle/contracts/api/tasks'
import type { Principal } from '@reticle/contracts/principal'
import { paged } from '@reticle/kit/list/page'
import { readSort } from '@reticle/kit/list/sort'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { equalTo, orderedBy } from '../list-query.ts'
import { type TaskView, taskColumns } from './repo.ts'

type Query = Input<(typeof tasks)['listTasks']>

const filters = {
  id: 'tasks.id',
  project_id: 'tasks.project_id',
  project_name: 'projects.name',
  name: 'tasks.name',
  owner: 'owner.username',
  assignee: 'assignee.username',
  status: 'tasks.status',
  subset: 'tasks.subset',
  mode: 'tasks.mode',
  dimension: 'tasks.dimension',
  tracker_link: 'tasks.bug_tracker',
} as const
const sorts = {
  ...filters,
  created_date: 'tasks.created_date',
  updated_date: 'tasks.updated_date',
} as const
const sortNames = [
  'project_id',
  'project_name',
  'name',
  'owner',
  'assignee',
  'status',
  'subset',
  'mode',
  'dimension',
  'tracker_link',
  'created_date',
  'updated_date',
] as const

/** A page of the tasks that the caller may see: `spec/api-workspace.md` 1.5, 1.7. */
export function listTasks(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<{ count: number; results: TaskView[] }> {
  const chosen = db
    .selectFrom('tasks')
    .leftJoin('projects', 'projects.id', 'tasks.project_id')
    .leftJoin('data_sets', 'data_sets.task_id', 'tasks.id')
    .leftJoin('users as owner', 'owner.id', 'tasks.owner_id')
    .leftJoin('users as assignee', 'assignee.id', 'tasks.assignee_id')
    .where(visibleTo(principal))
    .where(equalTo(filters, query))
  const order = orderedBy(readSort(query.sort, sortNames, '-id'), sorts)
  return paged(
    query,
    async () => {
      const { count } = await chosen
        .select(sql<number>`count(*)::int`.as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    (limit, offset) =>
      chosen
        .selectAll('tasks')
        .select(taskColumns)
        .orderBy(order)
        .limit(limit)
        .offset(offset)
        .execute(),
  )
}

/** Task staff; administrators see everything. */
function visibleTo({ user_id, role }: Principal) {
  if (role === 'admin') return sql<SqlBool>`true`
  return sql<SqlBool>`tasks.organization_id is null and ${user_id} in (
    tasks.owner_id, tasks.assignee_id, projects.owner_id, projects.assignee_id)`
}
