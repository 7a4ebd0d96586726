import type { AnnotationsChange } from '@reticle/contracts/events/annotations'
import { jobUpdated, taskUpdated } from '@reticle/contracts/events/tasks'
import type { Job } from '@reticle/contracts/rest/jobs'
import { type Cause, emit, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { fieldsBefore } from '../changes.ts'
import type { ProjectsSettings } from '../config.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { mostEvents } from '../tasks/deleted.ts'
import { taskRecord } from '../tasks/records.ts'
import { lockTask, type TaskView, touchTask } from '../tasks/repo.ts'
import { jobRecords } from './records.ts'
import { type JobView, listJobsById, type MovedJob, updateJobs } from './repo.ts'

type Tx = Transaction<ProjectsDb>
type JobChange = AnnotationsChange['jobs'][number]
type Kinds = Pick<JobChange, 'tags' | 'shapes' | 'tracks'>

export type AnnotationsChangedSettings = Pick<ProjectsSettings, 'autoInProgress'>

/** As many ids as an event names. */
const mostIds = 100

/**
 * What a write of annotations does to its jobs and their task (`spec/api-annotations.md` 1.11): their dates move, a job that
 * was `new` and holds something now is in progress, and each says so in one event. The state of a job that begins leaves its
 * status, and so that of the task, as it is. Both doors call this, once per event: `annotationsChanged` and the bus. The
 * project's date follows by `update:task`.
 */
export async function applyAnnotationsChange(
  tx: Tx,
  { task_id, action, jobs, keeps_state = false }: AnnotationsChange,
  { autoInProgress }: AnnotationsChangedSettings,
  cause: Cause,
): Promise<void> {
  const changes = new Map(jobs.filter((one) => objects(one) > 0).map((one) => [one.job_id, one]))
  const task = changes.size === 0 ? undefined : await lockTask(tx, task_id)
  if (!task) return
  const rows = await listJobsById(tx, task_id, [...changes.keys()])
  if (rows.length === 0) return
  const mayBegin = autoInProgress && action !== 'delete' && !keeps_state
  const isBeginning = ({ id, state }: JobView) =>
    mayBegin && state === 'new' && changes.get(id)?.is_annotated === true
  const moved = [
    ...(await updateJobs(tx, idsOf(rows.filter(isBeginning)), { state: 'in progress' })),
    ...(await updateJobs(tx, idsOf(rows.filter((row) => !isBeginning(row))), {})),
  ]
  if (task.draft_id !== null) return // it is told of when it is published
  if (rows.length < mostEvents) await emitJobs(tx, { action, rows, moved, changes }, cause)
  await updateTaskWith(tx, task, { action, ...total([...changes.values()]) }, cause)
}

const idsOf = (rows: readonly JobView[]) => rows.map((row) => row.id)

interface Changed {
  action: AnnotationsChange['action']
  /** As they were. */
  rows: readonly JobView[]
  moved: readonly MovedJob[]
  changes: ReadonlyMap<number, JobChange>
}

/** A save waits for this, so the jobs are not read again: only state and date have moved. */
async function emitJobs(tx: Tx, { action, rows, moved, changes }: Changed, cause: Cause) {
  const movedById = new Map(moved.map((one) => [one.id, one]))
  const facts = (await jobRecords(tx, rows)).flatMap((old) => {
    const change = changes.get(old.id)
    const now = movedById.get(old.id)
    if (!change || !now) return []
    const job: Job = { ...old, state: now.state, updated_date: now.updated_date.toISOString() }
    const { job_id: _, is_annotated: _annotated, by_action: _done, ...annotations } = change
    return [{ job, before_update: fieldsBefore(old, job), annotations: { action, ...annotations } }]
  })
  await emitAll(tx, jobUpdated, facts, cause)
}

/** Nothing of the task moves but its date; the record is for the event. */
async function updateTaskWith(
  tx: Tx,
  row: TaskView,
  annotations: Kinds & { action: AnnotationsChange['action'] },
  cause: Cause,
): Promise<void> {
  const updated_date = await touchTask(tx, row.id)
  const task = await taskRecord(tx, { ...row, updated_date })
  const before_update = { updated_date: row.updated_date.toISOString() }
  await emit(tx, taskUpdated, { task, before_update, annotations }, cause)
}

const objects = ({ tags, shapes, tracks }: Kinds) => tags + shapes + tracks

/** Counts of all jobs together, and the ids where every job names its own and they are few. */
function total(changes: readonly JobChange[]) {
  const sum = (kind: keyof Kinds) => changes.reduce((count, one) => count + one[kind], 0)
  const counts = { tags: sum('tags'), shapes: sum('shapes'), tracks: sum('tracks') }
  const isNamed = changes.every((one) => one.ids !== undefined)
  if (!isNamed || objects(counts) > mostIds) return counts
  const all = (kind: keyof Kinds) => changes.flatMap((one) => one.ids?.[kind] ?? [])
  return { ...counts, ids: { tags: all('tags'), shapes: all('shapes'), tracks: all('tracks') } }
}
