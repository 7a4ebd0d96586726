import { projectUpdated } from '@reticle/contracts/events/projects'
import type { Project } from '@reticle/contracts/rest/projects'
import { type EventCause, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { pairUpdates } from '../bodies/changes.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { emitTaskChanges, type TaskRecords, taskRecordsIfFew } from '../tasks/emit-changes.ts'
import type { TaskView } from '../tasks/repo.ts'
import { projectRecords } from './records.ts'

type Tx = Transaction<ProjectsDb>

/** Locked projects and tasks, each in id order. */
export interface ProjectsAndTasks {
  projects: readonly ProjectRow[]
  tasks: readonly TaskView[]
}

export interface RecordsBefore extends TaskRecords {
  projects: Project[]
}

/**
 * Returns the records of projects, tasks and jobs before a change of all of them; undefined when there are so many
 * that only their parent emits an event.
 */
export async function recordsIfFew(
  tx: Tx,
  { projects, tasks }: ProjectsAndTasks,
): Promise<RecordsBefore | undefined> {
  const records = await taskRecordsIfFew(tx, tasks, projects.length)
  return records && { ...records, projects: await projectRecords(tx, projects) }
}

/**
 * Emits an update for each project and task, and for each job if `before` contains the jobs.
 *
 * @param rows the objects of `before` after the change, in the same order
 * @returns the records of the projects after the change
 */
export async function emitChanges(
  tx: Tx,
  before: RecordsBefore,
  rows: ProjectsAndTasks,
  cause: EventCause,
): Promise<Project[]> {
  const projects = await projectRecords(tx, rows.projects)
  const updates = pairUpdates(before.projects, projects).map(({ record, before_update }) => ({
    project: record,
    before_update,
  }))
  await emitAll(tx, projectUpdated, updates, cause)
  await emitTaskChanges(tx, before, rows.tasks, cause)
  return projects
}
