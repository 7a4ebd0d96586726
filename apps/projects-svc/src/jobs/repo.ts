import { type InferResult, type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import { laterDate, nextRevision } from '../db/dates.ts'
import type { JobsTable, ProjectsDb } from '../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>
export type JobChanges = Updateable<JobsTable>

/** Columns of a job from its task, project and media. */
const jobColumns = [
  'tasks.name as task_name',
  'tasks.owner_id as task_owner_id',
  'tasks.assignee_id as task_assignee_id',
  'tasks.project_id',
  'tasks.organization_id',
  'tasks.dimension',
  'tasks.mode',
  'tasks.media_type',
  'tasks.size as task_size',
  'tasks.bug_tracker as task_bug_tracker',
  'projects.name as project_name',
  'projects.owner_id as project_owner_id',
  'projects.assignee_id as project_assignee_id',
  'projects.bug_tracker as project_bug_tracker',
  'data_sets.chunk_size as data_chunk_size',
] as const

const replicasCount = sql<number>`
  (select count(*)::int from jobs replica where replica.parent_job_id = jobs.id)`.as(
  'replicas_count',
)

const issuesCount = sql<number>`
  (select count(*)::int from issues where issues.job_id = jobs.id)`.as('issues_count')

/** Guide of the project, otherwise of the task. */
const guideId = sql<number | null>`coalesce(
  (select guides.id from guides where guides.project_id = tasks.project_id),
  (select guides.id from guides where guides.task_id = tasks.id))`.as('guide_id')

export function selectJobs(db: Db) {
  return db
    .selectFrom('jobs')
    .innerJoin('tasks', 'tasks.id', 'jobs.task_id')
    .leftJoin('projects', 'projects.id', 'tasks.project_id')
    .leftJoin('data_sets', 'data_sets.task_id', 'tasks.id')
    .selectAll('jobs')
    .select(jobColumns)
    .select([replicasCount, issuesCount, guideId])
}

/** Row of a job with columns of its task and project. */
export type JobView = InferResult<ReturnType<typeof selectJobs>>[number]

export function findJob(db: Db, id: number): Promise<JobView | undefined> {
  return selectJobs(db).where('jobs.id', '=', id).executeTakeFirst()
}

/** Locks the task of the job, which is the key of its events, then the job. */
export async function lockJob(tx: Tx, id: number): Promise<JobView | undefined> {
  await tx
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', (of) => of.selectFrom('jobs').select('task_id').where('id', '=', id))
    .forUpdate()
    .execute()
  return selectJobs(tx).where('jobs.id', '=', id).forUpdate('jobs').executeTakeFirst()
}

/** Lists all jobs of tasks, in id order. */
export function listJobsOf(db: Db, task_ids: readonly number[]): Promise<JobView[]> {
  return selectJobs(db)
    .where((where) => where('jobs.task_id', '=', where.fn.any(where.val([...task_ids]))))
    .orderBy('jobs.id')
    .execute()
}

/** Lists the ids of all jobs of tasks, in id order. */
export function listJobIdsOf(db: Db, task_ids: readonly number[]) {
  return db
    .selectFrom('jobs')
    .select(['id', 'task_id'])
    .where((where) => where('task_id', '=', where.fn.any(where.val([...task_ids]))))
    .orderBy('id')
    .execute()
}

/** Lists the jobs with these ids that belong to the task, in id order. */
export async function listJobsById(
  db: Db,
  task_id: number,
  ids: readonly number[],
): Promise<JobView[]> {
  const rows = await selectJobs(db)
    .where((where) => where('jobs.id', '=', where.fn.any(where.val([...ids]))))
    .orderBy('jobs.id')
    .execute()
  return rows.filter((row) => row.task_id === task_id) // an SQL condition would let the planner read all jobs of the task
}

/** Changes jobs whose task is locked, with their `updated_date` and `revision`. */
export async function updateJobs(
  tx: Tx,
  ids: readonly number[],
  changes: JobChanges,
): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ ...changes, revision: nextRevision, updated_date: laterDate })
    .where((where) => where('id', '=', where.fn.any(where.val([...ids]))))
    .execute()
}

/** Moves the date of a job whose task is locked, because a child of the job changed. */
export async function moveJobDate(tx: Tx, id: number): Promise<void> {
  await tx.updateTable('jobs').set({ updated_date: laterDate }).where('id', '=', id).execute()
}

export async function deleteJob(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('jobs').where('id', '=', id).execute()
}

/** Lists ids of the jobs of an organization that are assigned to a user. */
export async function listJobsAssigned(
  db: Db,
  { organization_id, user_id }: { organization_id: number; user_id: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('jobs')
    .innerJoin('tasks', 'tasks.id', 'jobs.task_id')
    .select('jobs.id')
    .where('tasks.organization_id', '=', organization_id)
    .where('jobs.assignee_id', '=', user_id)
    .orderBy('jobs.id')
    .execute()
  return rows.map(({ id }) => id)
}
