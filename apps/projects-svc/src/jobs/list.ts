import type { jobs } from '@reticle/contracts/api/jobs'
import type { OperationInput } from '@reticle/contracts/api/operation'
import { jobFields } from '@reticle/contracts/rest/jobs'
import type { Principal } from '@reticle/contracts/rest/principal'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { ownProjects, visibleIn, withoutScope } from '../access/repo-scope.ts'
import { leaderOf } from '../access/roles.ts'
import { worksAsGuest } from '../access/standing.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { type JobView, selectJobs } from './repo.ts'

type Query = OperationInput<typeof jobs.listJobs>

const columns = {
  id: 'jobs.id',
  task_id: 'jobs.task_id',
  project_id: 'tasks.project_id',
  assignee: 'assignee.username',
  state: 'jobs.state',
  stage: 'jobs.stage',
  type: 'jobs.type',
  parent_job_id: 'jobs.parent_job_id',
  dimension: 'tasks.dimension',
  mode: 'tasks.mode',
  created_date: 'jobs.created_date',
  updated_date: 'jobs.updated_date',
  frame_count: sql<number>`coalesce(jobs.frame_count, jobs.stop_frame - jobs.start_frame + 1)`,
} as const satisfies Omit<ColumnsOf<typeof jobFields>, 'task_name' | 'project_name'>

/** Lists a page of the jobs that the caller may see. */
export function listJobs(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<JobView>> {
  const isNarrow = query.project_id !== undefined || query.task_id !== undefined
  const rows = selectJobs(db)
    .leftJoin('users as assignee', 'assignee.id', 'jobs.assignee_id')
    .where('tasks.draft_id', 'is', null)
    .where(visibleTo(principal))
    .$if(!isNarrow && principal.role !== 'admin', (all) => all.where(amongOwn(principal)))
  return listPage(rows, query, jobFields, { ...columns, ...names(principal) })
}

/** Restricts to job staff, and for guests of an organization to jobs assigned to them. */
function visibleTo(principal: Principal) {
  const { user_id } = principal
  const isStaff = sql<SqlBool>`${user_id} in (
    jobs.assignee_id, tasks.owner_id, tasks.assignee_id, projects.owner_id, projects.assignee_id)`
  const isGuest = worksAsGuest(principal) ? sql<SqlBool>`jobs.assignee_id = ${user_id}` : undefined
  return visibleIn(principal, { organization: sql.ref('tasks.organization_id'), isStaff, isGuest })
}

/**
 * Repeats the condition of `visibleTo` in a form that indexes serve: without a project or task filter, own jobs are
 * found without reading those of other users.
 */
function amongOwn(principal: Principal) {
  const { user_id } = principal
  return sql<SqlBool>`jobs.id in (
    select id from jobs where assignee_id = ${user_id}
    union all
    select jobs.id from jobs join tasks on tasks.id = jobs.task_id
    where tasks.owner_id = ${user_id} or tasks.assignee_id = ${user_id}
      or tasks.project_id = any(${ownProjects(user_id)})
      or tasks.organization_id = any(${leaderOf(principal)}::int[]))`
}

/**
 * Hides the names of a task or project that the caller may not view, as in the record, so that they cannot be
 * filtered by.
 */
function names(principal: Principal) {
  const shown = (isStaff: RawBuilder<SqlBool>) =>
    visibleIn(withoutScope(principal), {
      organization: sql.ref('tasks.organization_id'),
      isStaff,
    })
  const { user_id } = principal
  const ofProject = shown(sql`${user_id} in (projects.owner_id, projects.assignee_id)`)
  const ofTask = shown(sql`${user_id} in (
    tasks.owner_id, tasks.assignee_id, projects.owner_id, projects.assignee_id)`)
  return {
    task_name: sql<string | null>`case when ${ofTask} then tasks.name end`,
    project_name: sql<string | null>`case when ${ofProject} then projects.name end`,
  }
}
