import {
  type InferResult,
  type Insertable,
  type Kysely,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely'
import { laterDate, laterDateOf, nextRevision } from '../db/dates.ts'
import type { ProjectsDb, TaskRow, TasksTable } from '../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>
export type TaskChanges = Updateable<TasksTable>

/** What a task needs of its project and its media beside its own row. */
const taskColumns = [
  'projects.name as project_name',
  'projects.owner_id as project_owner_id',
  'projects.assignee_id as project_assignee_id',
  'data_sets.task_id as data',
  'data_sets.chunk_size as data_chunk_size',
  'data_sets.image_quality',
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

/** A task with what it takes from its project and its media. */
export type TaskView = InferResult<ReturnType<typeof selectTasks>>[number]

export function findTask(db: Db, id: number): Promise<TaskView | undefined> {
  return selectTasks(db).where('tasks.id', '=', id).executeTakeFirst()
}

/** Locks the row that is the key of events of the task, its jobs and its annotations. */
export function lockTask(tx: Tx, id: number): Promise<TaskView | undefined> {
  return selectTasks(tx).where('tasks.id', '=', id).forUpdate('tasks').executeTakeFirst()
}

/**
 * The same as `lockTask` for changes that move the project as well: its row is locked first, as everywhere, and with it that of
 * the project the task is to move into. Rows of projects are locked in id order.
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

/** Changes a locked row; its `updated_date` and its `revision` move. */
export async function updateTask(tx: Tx, id: number, changes: TaskChanges): Promise<TaskView> {
  await tx
    .updateTable('tasks')
    .set({ revision: nextRevision, ...changes, updated_date: laterDate })
    .where('id', '=', id)
    .execute()
  return selectTasks(tx).where('tasks.id', '=', id).executeTakeFirstOrThrow()
}

/** Moves the dates of locked tasks, because of a change of what belongs to them. */
export async function touchTasks(tx: Tx, ids: readonly number[], date?: Date): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ updated_date: date ? laterDateOf(date) : laterDate })
    .where((where) => where('id', '=', where.fn.any(where.val([...ids]))))
    .execute()
}

/** Moves the dates and the revisions of locked tasks. */
export async function moveTaskRevisions(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ revision: nextRevision, updated_date: laterDate })
    .where((where) => where('id', '=', where.fn.any(where.val([...ids]))))
    .execute()
}

/** Moves the dates of all jobs of locked tasks: what exports of them depend on has changed. */
export async function touchJobs(tx: Tx, task_ids: readonly number[], date?: Date): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ updated_date: date ? laterDateOf(date) : laterDate })
    .where((where) => where('task_id', '=', where.fn.any(where.val([...task_ids]))))
    .execute()
}

/** Jobs, labels, storages and frames go with it. */
export async function deleteTask(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('tasks').where('id', '=', id).execute()
}

export interface JobsSummary {
  task_id: number
  count: number
  completed: number
  validation: number
}

/** What tasks say about their jobs (`spec/api-workspace.md` 4.1), in one query; tasks without jobs are left out. */
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

/** Statuses that the jobs of a task have. */
export async function listJobStatuses(db: Db, task_id: number) {
  const rows = await db
    .selectFrom('jobs')
    .select('status')
    .distinct()
    .where('task_id', '=', task_id)
    .execute()
  return rows.map((row) => row.status)
}

/** A dimension that other tasks of the project have and that is not this one. */
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

/** Locks these, in id order. */
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

/** Locked tasks leave their organization; they are answered in id order. */
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

/** Ids of the tasks of an organization that a person is assigned to. */
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
