import type { AnnotationsChange } from '@reticle/contracts/events/annotations'
import { jobUpdated, taskUpdated } from '@reticle/contracts/events/tasks'
import type { Job } from '@reticle/contracts/rest/jobs'
import { retrySerialization } from '@reticle/kit/db/errors'
import { type EventCause, emit, emitAll } from '@reticle/kit/outbox/emit'
import type { Kysely, Transaction } from 'kysely'
import { fieldsBefore } from '../../bodies/changes.ts'
import type { ProjectsDb } from '../../db/schema.ts'
import { jobRecords } from '../../jobs/records.ts'
import { type JobView, listJobsById } from '../../jobs/repo.ts'
import { mostEvents } from '../deleted.ts'
import { taskRecord } from '../records.ts'
import { findTask, lockTask, type TaskView } from '../repo.ts'
import { type Touched, type TouchedBefore, takeTouch, touchAnnotated } from './repo-touches.ts'

type Tx = Transaction<ProjectsDb>
type JobChange = AnnotationsChange['jobs'][number]
type Kinds = Pick<JobChange, 'tags' | 'shapes' | 'tracks'>

export interface AnnotationsChangedSettings {
  /** Whether the first annotation moves a new job to "in progress". */
  autoInProgress: boolean
}

/** Limit on ids in an event. */
const mostIds = 100

/**
 * Handles the event of a write of annotations: emits one event for each changed job and one for their task. Dates and
 * states have changed already if annotations-svc called `annotationsChanged`; otherwise they change here. Starting a
 * job keeps its status and so that of the task. The date of the project follows by `update:task`. The events of a
 * task that has moved since name its earlier project and organization, so that webhooks of the new place do not
 * receive earlier changes.
 */
export async function applyAnnotationsChange(
  tx: Tx,
  { event_id, change }: Received,
  settings: AnnotationsChangedSettings,
  cause: EventCause,
): Promise<void> {
  const changes = changesByJob(change)
  if (changes.size === 0) return
  const taken = { event_id, task_id: change.task_id }
  let before = await takeTouch(tx, taken)
  // `takeTouch` has locked the task against deletion. Saves continue during this transaction, because they only move
  // dates.
  const task = await (before ? findTask : lockTask)(tx, change.task_id)
  if (!task) return
  if (!before) {
    await touchAnnotated(tx, touchedBy({ event_id, change }, settings), null)
    before = await takeTouch(tx, taken)
  }
  if (!before || before.is_draft) return // publishing a draft emits the state of its tasks and jobs
  const { action } = change
  const rows = await listJobsById(tx, task.id, [...before.jobs.keys()])
  if (rows.length < mostEvents) await emitJobs(tx, { action, rows, before, changes }, cause)
  await emitTask(tx, task, before, { action, ...total([...changes.values()]) }, cause)
}

/** Limit on repetitions of a touch when the task changes concurrently; after it the consumer makes the change. */
const mostTouches = 3

/**
 * Moves dates and states of the jobs before a save is answered, so that the next request reads them. The event that
 * follows does the rest.
 */
export async function touchAnnotatedJobs(
  db: Kysely<ProjectsDb>,
  received: Received,
  settings: AnnotationsChangedSettings,
  consumer: string,
): Promise<void> {
  const touched = touchedBy(received, settings)
  if (touched.job_ids.length === 0) return
  const touch = () => retrySerialization(() => touchAnnotated(db, touched, consumer))
  let isDone = false
  for (let tries = 0; !isDone && tries < mostTouches; tries++) isDone = await touch()
}

interface Received {
  event_id: string
  change: AnnotationsChange
}

type Changes = ReadonlyMap<number, JobChange>

/** Returns the changes of jobs in which at least one object changed. */
const changesByJob = ({ jobs }: AnnotationsChange): Changes =>
  new Map(jobs.filter((one) => objects(one) > 0).map((one) => [one.job_id, one]))

function touchedBy(
  { event_id, change }: Received,
  { autoInProgress }: AnnotationsChangedSettings,
): Touched {
  const { task_id, action, keeps_state = false } = change
  const jobs = [...changesByJob(change).values()]
  const mayBegin = autoInProgress && action !== 'delete' && !keeps_state
  const beginning = mayBegin ? jobs.filter((one) => one.is_annotated) : []
  return { event_id, task_id, job_ids: idsOf(jobs), beginning_ids: idsOf(beginning) }
}

const idsOf = (jobs: readonly JobChange[]) => jobs.map((job) => job.job_id)

interface Changed {
  action: AnnotationsChange['action']
  /** Current rows. */
  rows: readonly JobView[]
  before: TouchedBefore
  changes: Changes
}

async function emitJobs(tx: Tx, { action, rows, before, changes }: Changed, cause: EventCause) {
  const placed = rows.map((row) => ({ ...row, ...before.place }))
  const facts = (await jobRecords(tx, placed)).flatMap((job) => {
    const change = changes.get(job.id)
    const was = before.jobs.get(job.id)
    if (!change || !was) return []
    const old: Job = { ...job, state: was.state, updated_date: was.updated_date.toISOString() }
    const { job_id: _, is_annotated: _annotated, by_action: _done, ...annotations } = change
    return [{ job, before_update: fieldsBefore(old, job), annotations: { action, ...annotations } }]
  })
  await emitAll(tx, jobUpdated, facts, cause)
}

/** Emits the update of the task. Only its date has changed. */
async function emitTask(
  tx: Tx,
  row: TaskView,
  { task: { before, now }, place }: TouchedBefore,
  annotations: Kinds & { action: AnnotationsChange['action'] },
  cause: EventCause,
): Promise<void> {
  const task = await taskRecord(tx, { ...row, ...place, updated_date: now })
  const before_update = { updated_date: before.toISOString() }
  await emit(tx, taskUpdated, { task, before_update, annotations }, cause)
}

const objects = ({ tags, shapes, tracks }: Kinds) => tags + shapes + tracks

/** Adds up the counts of all jobs. Object ids are included only if every job lists its ids and they are few. */
function total(changes: readonly JobChange[]) {
  const sum = (kind: keyof Kinds) => changes.reduce((count, one) => count + one[kind], 0)
  const counts = { tags: sum('tags'), shapes: sum('shapes'), tracks: sum('tracks') }
  const isNamed = changes.every((one) => one.ids !== undefined)
  if (!isNamed || objects(counts) > mostIds) return counts
  const all = (kind: keyof Kinds) => changes.flatMap((one) => one.ids?.[kind] ?? [])
  return { ...counts, ids: { tags: all('tags'), shapes: all('shapes'), tracks: all('tracks') } }
}
