import type { AnnotationsChange } from '@reticle/contracts/events/annotations'
import { jobUpdated, taskUpdated } from '@reticle/contracts/events/tasks'
import { type Cause, emit, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { fieldsBefore } from '../changes.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { mostEvents } from '../tasks/deleted.ts'
import { taskRecord } from '../tasks/records.ts'
import { lockTask, type TaskView, updateTask } from '../tasks/repo.ts'
import { jobRecords } from './records.ts'
import { type JobView, listJobsById, updateJobs } from './repo.ts'

type Tx = Transaction<ProjectsDb>
type JobChange = AnnotationsChange['jobs'][number]
type Kinds = Pick<JobChange, 'tags' | 'shapes' | 'tracks'>

export interface AnnotationsChangedSettings {
  /** `RETICLE_PROJECTS_AUTO_IN_PROGRESS` */
  auto_in_progress: boolean
}

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
  { task_id, action, jobs }: AnnotationsChange,
  { auto_in_progress }: AnnotationsChangedSettings,
  cause: Cause,
): Promise<void> {
  const changes = new Map(jobs.filter((one) => objects(one) > 0).map((one) => [one.job_id, one]))
  const task = changes.size === 0 ? undefined : await lockTask(tx, task_id)
  if (!task) return
  const rows = await listJobsById(tx, task_id, [...changes.keys()])
  if (rows.length === 0) return
  const begins = (row: JobView) =>
    auto_in_progress &&
    row.state === 'new' &&
    action !== 'delete' &&
    changes.get(row.id)?.is_annotated === true
  const before = await jobRecords(tx, rows)
  const beginning = rows.filter(begins).map((row) => row.id)
  const others = rows.filter((row) => !begins(row)).map((row) => row.id)
  await updateJobs(tx, beginning, { state: 'in progress' })
  await updateJobs(tx, others, {})
  if (rows.length < mostEvents) {
    const ids = rows.map((row) => row.id)
    const after = await jobRecords(tx, await listJobsById(tx, task_id, ids))
    const facts = after.flatMap((job, index) => {
      const change = changes.get(job.id)
      const old = before[index]
      if (!change || !old) return []
      const { job_id: _, is_annotated: _annotated, ...annotations } = change
      const before_update = fieldsBefore(old, job)
      return [{ job, before_update, annotations: { action, ...annotations } }]
    })
    await emitAll(tx, jobUpdated, facts, cause)
  }
  await updateTaskWith(tx, task, { action, ...total([...changes.values()]) }, cause)
}

async function updateTaskWith(
  tx: Tx,
  row: TaskView,
  annotations: Kinds & { action: AnnotationsChange['action'] },
  cause: Cause,
): Promise<void> {
  const before = await taskRecord(tx, row)
  const task = await taskRecord(tx, await updateTask(tx, row.id, {}))
  const before_update = fieldsBefore(before, task)
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
