import {
  type InferResult,
  type Insertable,
  type Kysely,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely'
import { laterDate, nextRevision } from '../db/dates.ts'
import type { ProjectsDb, TaskRow, TasksTable } from '../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>
export type TaskChanges = Updateable<TasksTable>

/** Columns of a task from its project and media. */
const taskColumns = [
  'projects.name as project_name',
  'projects.owner_id as project_owner_id',
  'projects.assignee_id as project_assignee_id',
  'data_sets.task_id as data',
  'data_sets.chunk_size as data_chunk_size',
  'data_sets.image_quality',
  'data_sets.cloud_storage_id as data_cloud_storage_id',
] as const

const guideId = sql<number | null>`
  (select guides.id from guides where guides.task_id = tasks.id)`.as('guide_id')

export function selectTasks(db: Db) {
  return db
    .selectFrom('tasks')
    .leftJoin('projects', 'projects.id', 'tasks.project_id')
    .leftJoin('data_sets', 'data_sets.task_id', 'tasks.id')
    .selectAll('tasks')
    .select(taskColumns)
    .select(guideId)
}

/** Row of a task with columns of its project and media. */
export type TaskView = InferResult<ReturnType<typeof selectTasks>>[number]

export function findTask(db: Db, id: number): Promise<TaskView | undefined> {
  return selectTasks(db).where('tasks.id', '=', id).executeTakeFirst()
}

/** Locks the row that is the key of events of the task, its jobs and its annotations. */
export function lockTask(tx: Tx, id: number): Promise<TaskView | undefined> {
  return selectTasks(tx).where('tasks.id', '=', id).forUpdate('tasks').executeTakeFirst()
}

/**
 * Locks a task for changes that also move the date of its project. The row of the project is locked first, as
 * everywhere, together with that of the project that the task will move into; projects are locked in id order.
 */
export async function lockTaskAndProject(
  tx: Tx,
  id: number,
  target_id: number | null = null,
): Promise<TaskView | undefined> {
  await tx
    .selectFrom('projects')
    .select('id')
    .where((where) =>
      where.or([
        where('id', '=', where.selectFrom('tasks').select('project_id').where('id', '=', id)),
        where('id', '=', target_id),
      ]),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
  return lockTask(tx, id)
}

/** Locks all tasks of a project, in id order. */
export function lockTasksOfProject(tx: Tx, project_id: number): Promise<TaskView[]> {
  return selectTasks(tx)
    .where('tasks.project_id', '=', project_id)
    .orderBy('tasks.id')
    .forUpdate('tasks')
    .execute()
}

export async function insertTask(tx: Tx, row: Insertable<TasksTable>): Promise<number> {
  const { id } = await tx.insertInto('tasks').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Updates a locked row with its `updated_date` and `revision`. */
export async function updateTask(tx: Tx, id: number, changes: TaskChanges): Promise<TaskView> {
  await tx
    .updateTable('tasks')
    .set({ revision: nextRevision, ...changes, updated_date: laterDate })
    .where('id', '=', id)
    .execute()
  return selectTasks(tx).where('tasks.id', '=', id).executeTakeFirstOrThrow()
}

/** Moves the dates and revisions of locked tasks. */
export async function moveTaskRevisions(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ revision: nextRevision, updated_date: laterDate })
    .where((where) => where('id', '=', where.fn.any(where.val([...ids]))))
    .execute()
}

/** Deletes a task with its jobs, labels, storages and frames. */
export async function deleteTask(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('tasks').where('id', '=', id).execute()
}

export interface JobsSummary {
  task_id: number
  count: number
  completed: number
  validation: number
}

/** Counts the jobs of tasks by progress, with one query; tasks without jobs are left out. */
export async function summarizeJobs(
  db: Db,
  ids: readonly number[],
): Promise<Map<number, JobsSummary>> {
  const rows = await db
    .selectFrom('jobs')
    .select([
      'task_id',
      sql<number>`count(*)::int`.as('count'),
      sql<number>`(count(*) filter (where status = 'completed'))::int`.as('completed'),
      sql<number>`(count(*) filter (where stage = 'validation'))::int`.as('validation'),
    ])
    .where((where) => where('task_id', '=', where.fn.any(where.val([...ids]))))
    .groupBy('task_id')
    .execute()
  return new Map(rows.map((row) => [row.task_id, row]))
}

/** Lists the distinct statuses of the jobs of a task. */
export async function listJobStatuses(db: Db, task_id: number) {
  const rows = await db
    .selectFrom('jobs')
    .select('status')
    .distinct()
    .where('task_id', '=', task_id)
    .execute()
  return rows.map((row) => row.status)
}

/** Finds a dimension of other tasks in the project that differs from that of this task. */
export function findOtherDimension(
  db: Db,
  project_id: number,
  { dimension }: Pick<TaskRow, 'dimension'>,
) {
  return db
    .selectFrom('tasks')
    .select('dimension')
    .where('project_id', '=', project_id)
    .where('size', '>', 0)
    .where('dimension', '<>', dimension)
    .limit(1)
    .executeTakeFirst()
}

/** Locks these tasks, in id order. */
export function lockTasks(tx: Tx, ids: readonly number[]): Promise<TaskView[]> {
  return selectTasks(tx)
    .where((where) => where('tasks.id', '=', where.fn.any(where.val([...ids]))))
    .orderBy('tasks.id')
    .forUpdate('tasks')
    .execute()
}

/** Locks all tasks of an organization, in id order. */
export function lockTasksOfOrganization(tx: Tx, organization_id: number): Promise<TaskView[]> {
  return selectTasks(tx)
    .where('tasks.organization_id', '=', organization_id)
    .orderBy('tasks.id')
    .forUpdate('tasks')
    .execute()
}

/** Removes locked tasks from their organization and returns them in id order. */
export async function releaseTasks(tx: Tx, ids: readonly number[]): Promise<TaskView[]> {
  const wanted = [...ids]
  await tx
    .updateTable('tasks')
    .set({ organization_id: null, revision: nextRevision, updated_date: laterDate })
    .where((where) => where('id', '=', where.fn.any(where.val(wanted))))
    .execute()
  return selectTasks(tx)
    .where((where) => where('tasks.id', '=', where.fn.any(where.val(wanted))))
    .orderBy('tasks.id')
    .execute()
}

/** Lists ids of the tasks of an organization that are assigned to a user. */
export async function listTasksAssigned(
  db: Db,
  { organization_id, user_id }: { organization_id: number; user_id: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('organization_id', '=', organization_id)
    .where('assignee_id', '=', user_id)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
