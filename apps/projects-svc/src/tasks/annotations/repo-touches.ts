import { queryRows } from '@reticle/kit/db/prepared'
import type { Kysely, Transaction } from 'kysely'
import { laterDateText } from '../../db/dates.ts'
import type { JobRow, ProjectsDb, TaskRow } from '../../db/schema.ts'

/** Jobs of a task whose annotations an event changed. */
export interface Touched {
  event_id: string
  task_id: number
  job_ids: readonly number[]
  /** Jobs that become "in progress" if they are `new`. */
  beginning_ids: readonly number[]
}

/**
 * Moves the dates of the jobs and of their task, sets `new` jobs to "in progress", and stores the earlier values in
 * `annotation_touches`; does nothing if that row exists. The date of a draft stays. It is one statement, because a
 * save waits for it.
 *
 * With a `consumer` it also does nothing for an event that this consumer has received. The statement reads the inbox
 * as it was before it waited for the lock of the task. If the task changed during that wait, which the version of its
 * row shows, it does nothing.
 *
 * @returns false when the task changed during the wait: run it again
 */
export async function touchAnnotated(
  db: Kysely<ProjectsDb>,
  { event_id, task_id, job_ids, beginning_ids }: Touched,
  consumer: string | null,
): Promise<boolean> {
  const values = [event_id, task_id, job_ids, beginning_ids, consumer]
  const [row] = await queryRows<{ is_current: boolean }>(db, touch, values)
  return row?.is_current ?? true
}

/**
 * The lock of the task allows the consumer of its earlier events to continue (`takeTouch`). Each lock depends on the
 * rows of the previous one: the task, then its jobs in id order. `+ 0` keeps the planner from reading all jobs of the
 * task.
 */
const touch = {
  name: 'touch_annotated',
  text: `with seen as materialized (select id, ctid as version from tasks where id = $2::int),
    task as materialized (
      select id, organization_id, project_id, updated_date, draft_id, ctid as version
      from tasks where id = $2::int for no key update),
    current as materialized (
      select task.*, task.draft_id is not null as is_draft
      from task join seen using (id, version)
      where $5::text is null
        or not exists (select from inbox where consumer = $5::text and event_id = $1::uuid)),
    before as materialized (
      select jobs.id, jobs.state, jobs.updated_date
      from current join jobs on jobs.task_id + 0 = current.id
      where jobs.id = any($3::int[]) order by jobs.id for update of jobs),
    touch as (
      insert into annotation_touches
        (event_id, task_id, organization_id, project_id, task_updated_date, is_draft, jobs)
      select $1::uuid, id, organization_id, project_id, updated_date, is_draft, (select jsonb_agg(before) from before)
      from current where exists (select from before)
      on conflict do nothing returning task_id, is_draft),
    moved_jobs as (
      update jobs set updated_date = ${laterDateText('jobs')},
        state = case when jobs.state = 'new' and jobs.id = any($4::int[]) then 'in progress' else jobs.state end
      from touch, before where jobs.id = before.id),
    moved_task as (
      update tasks set updated_date = ${laterDateText('tasks')}
      from touch where tasks.id = touch.task_id and not touch.is_draft)
    select task.version = seen.version as is_current from task join seen using (id)`,
}

/** Values before a touch. */
export interface TouchedBefore {
  /** Previous and current date of the task. */
  task: { before: Date; now: Date }
  /** Previous organization and project of the task, because a task can move before the event is handled. */
  place: Pick<TaskRow, 'organization_id' | 'project_id'>
  /** Whether the task belonged to a draft then. */
  is_draft: boolean
  jobs: ReadonlyMap<number, Pick<JobRow, 'state' | 'updated_date'>>
}

/**
 * Deletes the touch row of an event and returns it. First it takes a lock on the task that blocks its deletion but
 * not the date changes of saves; a deletion of the task locks the task first and its touch rows afterwards. A
 * concurrent touch is possible, unless `lockTask` has locked the task.
 */
export async function takeTouch(
  tx: Transaction<ProjectsDb>,
  { event_id, task_id }: Pick<Touched, 'event_id' | 'task_id'>,
): Promise<TouchedBefore | undefined> {
  const rows = await queryRows<TouchRow>(tx, take, [event_id, task_id])
  const [first] = rows
  if (!first) return undefined
  const jobs = new Map(rows.map(({ id, state, updated_date }) => [id, { state, updated_date }]))
  const { task_before, task_now, organization_id, project_id, is_draft } = first
  const place = { organization_id, project_id }
  return { task: { before: task_before, now: task_now }, place, is_draft, jobs }
}

interface TouchRow
  extends Pick<JobRow, 'id' | 'state' | 'updated_date'>,
    Pick<TaskRow, 'organization_id' | 'project_id'> {
  task_before: Date
  task_now: Date
  is_draft: boolean
}

const take = {
  name: 'take_touch',
  text: `with task as materialized (
      select id, updated_date from tasks
      where id = $2::int and exists (select from annotation_touches where event_id = $1::uuid)
      for key share),
    taken as (
      delete from annotation_touches using task
      where annotation_touches.event_id = $1::uuid and annotation_touches.task_id = task.id
      returning annotation_touches.*, task.updated_date as task_now)
    select task_updated_date as task_before, task_now,
      taken.organization_id, taken.project_id, taken.is_draft, before.id, before.state, before.updated_date
    from taken,
      jsonb_to_recordset(taken.jobs) as before (id int, state text, updated_date timestamptz)`,
}
