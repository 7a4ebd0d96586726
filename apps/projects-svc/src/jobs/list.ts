import type { jobs } from '@reticle/contracts/api/jobs'
import type { Input } from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/principal'
import { type FiltersOf, listPage } from '@reticle/kit/list/list'
import type { Listed } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { type JobView, selectJobs } from './repo.ts'

type Query = Input<typeof jobs.listJobs>

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
} as const satisfies FiltersOf<Query>
const sorts = {
  ...filters,
  parent_job_id: 'jobs.parent_job_id',
  created_date: 'jobs.created_date',
  updated_date: 'jobs.updated_date',
} as const

/** A page of the jobs that the caller may see: `spec/api-workspace.md` 1.5, 1.7. */
export function listJobs(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<Listed<JobView>> {
  const rows = selectJobs(db)
    .leftJoin('users as assignee', 'assignee.id', 'jobs.assignee_id')
    .where(visibleTo(principal))
  return listPage(rows, query, { filters, sorts, order: '-id' })
}

/** Job staff; administrators see everything. */
function visibleTo({ user_id, role }: Principal) {
  if (role === 'admin') return sql<SqlBool>`true`
  return sql<SqlBool>`tasks.organization_id is null and ${user_id} in (
    jobs.assignee_id, tasks.owner_id, tasks.assignee_id, projects.owner_id, projects.assignee_id)`
}
