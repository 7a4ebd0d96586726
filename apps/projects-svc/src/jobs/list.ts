import type { jobs } from '@reticle/contracts/api/jobs'
import type { Input } from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/principal'
import { paged } from '@reticle/kit/list/page'
import { readSort } from '@reticle/kit/list/sort'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { equalTo, orderedBy } from '../list-query.ts'
import { type JobView, jobColumns, replicasCount } from './repo.ts'

type Query = Input<(typeof jobs)['listJobs']>

const filters = {
  id: 'jobs.id',
  task_id: 'jobs.task_id',
  project_id: 'tasks.project_id',
  task_name: 'tasks.name',
  project_name: 'projects.name',
  assignee: 'assignee.username',
  state: 'jobs.state',
  stage: 'jobs.stage',
  type: 'jobs.type',
  dimension: 'tasks.dimension',
  mode: 'tasks.mode',
} as const
const sorts = {
  ...filters,
  parent_job_id: 'jobs.parent_job_id',
  created_date: 'jobs.created_date',
  updated_date: 'jobs.updated_date',
} as const
const sortNames = [
  'task_id',
  'project_id',
  'task_name',
  'project_name',
  'assignee',
  'state',
  'stage',
  'type',
  'dimension',
  'mode',
  'parent_job_id',
  'created_date',
  'updated_date',
] as const

/** A page of the jobs that the caller may see: `spec/api-workspace.md` 1.5, 1.7. */
export function listJobs(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<{ count: number; results: JobView[] }> {
  const chosen = db
    .selectFrom('jobs')
    .innerJoin('tasks', 'tasks.id', 'jobs.task_id')
    .leftJoin('projects', 'projects.id', 'tasks.project_id')
    .leftJoin('data_sets', 'data_sets.task_id', 'tasks.id')
    .leftJoin('users as assignee', 'assignee.id', 'jobs.assignee_id')
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
        .selectAll('jobs')
        .select(jobColumns)
        .select(replicasCount)
        .orderBy(order)
        .limit(limit)
        .offset(offset)
        .execute(),
  )
}

/** Job staff; administrators see everything. */
function visibleTo({ user_id, role }: Principal) {
  if (role === 'admin') return sql<SqlBool>`true`
  return sql<SqlBool>`tasks.organization_id is null and ${user_id} in (
    jobs.assignee_id, tasks.owner_id, tasks.assignee_id, projects.owner_id, projects.assignee_id)`
}
