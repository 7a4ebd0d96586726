import { projectUpdated } from '@reticle/contracts/events/projects'
import { jobUpdated, taskUpdated } from '@reticle/contracts/events/tasks'
import type { Job } from '@reticle/contracts/rest/jobs'
import type { Project } from '@reticle/contracts/rest/projects'
import type { Task } from '@reticle/contracts/rest/tasks'
import { type EventCause, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { fieldsBefore } from '../changes.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { jobRecords } from '../jobs/records.ts'
import { listJobsOf } from '../jobs/repo.ts'
import { projectRecords } from '../projects/records.ts'
import { areFew, mostEvents } from '../tasks/deleted.ts'
import { taskRecords } from '../tasks/records.ts'
import type { TaskView } from '../tasks/repo.ts'

type Tx = Transaction<ProjectsDb>

/** Locked projects and tasks, each in id order. */
export interface Objects {
  projects: readonly ProjectRow[]
  tasks: readonly TaskView[]
}

export interface Records {
  projects: Project[]
  tasks: Task[]
  /** All jobs of the tasks. */
  jobs: Job[]
}

/**
 * Returns the records of the objects and of their jobs before a change of all of them; undefined when there are so
 * many that only their parent emits an event.
 */
export async function recordsIfFew(tx: Tx, objects: Objects): Promise<Records | undefined> {
  const { projects, tasks } = objects
  if (projects.length + tasks.length > mostEvents) return undefined
  const records = await taskRecords(tx, tasks)
  if (!areFew(records, projects.length)) return undefined
  return {
    projects: await projectRecords(tx, projects),
    tasks: records,
    jobs: await jobsOf(tx, records),
  }
}

async function jobsOf(tx: Tx, tasks: readonly Task[]): Promise<Job[]> {
  const ids = tasks.map(({ id }) => id)
  return jobRecords(tx, await listJobsOf(tx, ids))
}

/**
 * Emits an update for each object that differs from its record in `before`: the same objects in the same order, and
 * their jobs if `before` contains them. Returns the current records.
 */
export async function emitChanges(
  tx: Tx,
  before: Records,
  objects: Objects,
  cause: EventCause,
): Promise<Records> {
  const after: Records = {
    projects: await projectRecords(tx, objects.projects),
    tasks: await taskRecords(tx, objects.tasks),
    jobs: before.jobs.length > 0 ? await jobsOf(tx, before.tasks) : [],
  }
  const projects = changesOf(before.projects, after.projects)
  const tasks = changesOf(before.tasks, after.tasks)
  const jobs = changesOf(before.jobs, after.jobs)
  await emitAll(
    tx,
    projectUpdated,
    projects.map(({ record: project, ...old }) => ({ project, ...old })),
    cause,
  )
  await emitAll(
    tx,
    taskUpdated,
    tasks.map(({ record: task, ...old }) => ({ task, ...old })),
    cause,
  )
  await emitAll(
    tx,
    jobUpdated,
    jobs.map(({ record: job, ...old }) => ({ job, ...old })),
    cause,
  )
  return after
}

function changesOf<R extends object>(before: readonly R[], after: readonly R[]) {
  return after.flatMap((record, index) => {
    const was = before[index]
    return was ? [{ record, before_update: fieldsBefore(was, record) }] : []
  })
}
