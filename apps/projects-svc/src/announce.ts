import { projectUpdated } from '@reticle/contracts/events/projects'
import { taskUpdated } from '@reticle/contracts/events/tasks'
import { type Cause, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { fieldsBefore } from './changes.ts'
import type { ProjectRow, ProjectsDb } from './db/schema.ts'
import { projectRecords } from './projects/records.ts'
import { taskRecords } from './tasks/records.ts'
import type { TaskView } from './tasks/repo.ts'

type Tx = Transaction<ProjectsDb>

/** Records of many projects and tasks, to be told of together. */
export async function recordsOf(
  tx: Tx,
  projects: readonly ProjectRow[],
  tasks: readonly TaskView[],
) {
  return { projects: await projectRecords(tx, projects), tasks: await taskRecords(tx, tasks) }
}
type Records = Awaited<ReturnType<typeof recordsOf>>

/** Says what changed, of the same objects in the same order, before and after. */
export async function tell(tx: Tx, before: Records, after: Records, cause: Cause): Promise<void> {
  const projects = after.projects.flatMap((project, index) => {
    const was = before.projects[index]
    return was ? [{ project, before_update: fieldsBefore(was, project) }] : []
  })
  await emitAll(tx, projectUpdated, projects, cause)
  const tasks = after.tasks.flatMap((task, index) => {
    const was = before.tasks[index]
    return was ? [{ task, before_update: fieldsBefore(was, task) }] : []
  })
  await emitAll(tx, taskUpdated, tasks, cause)
}
