import type { Project, Task } from '@reticle/sdk'
import { copyWhole } from './archives.ts'
import { assignProject, assignTask, describeTask, storeAt } from './details.ts'
import { migrateIssues } from './issues.ts'
import { type Migration, type MigrationWorkspace, migrateObject, refusalOf } from './migration.ts'
import { compareCounts } from './verify.ts'
import { createEmptyProject, createEmptyTask } from './without-backup.ts'

/**
 * Projects and tasks. A project is migrated with its current tasks; tasks that are added later are migrated one by
 * one.
 */

export async function migrateProjects(
  migration: Migration,
  workspace: MigrationWorkspace,
): Promise<void> {
  const { signal } = migration.session
  for await (const project of workspace.source.listProjects.each({ sort: 'id' }, { signal }))
    await migrateObject(migration, { kind: 'project', from: project.id, name: project.name }, () =>
      migrateProject(migration, workspace, project),
    )
}

async function migrateProject(
  migration: Migration,
  workspace: MigrationWorkspace,
  project: Project,
): Promise<void> {
  const { ledger } = migration
  const { id: from } = project
  if (!ledger.find('project', from).to) {
    const to = await copyProject(migration, workspace, project)
    await noteTasks(migration, workspace, { from, to })
    await ledger.note('project', from, { to })
  }
  await storeAt(migration, { kind: 'project', from }, project)
  await assignProject(migration, workspace, project)
}

/** When one task cannot be backed up, the tasks of the project are migrated one by one. */
async function copyProject(
  migration: Migration,
  workspace: MigrationWorkspace,
  project: Project,
): Promise<number> {
  const { ledger } = migration
  const { id: from, name } = project
  if (ledger.find('project', from).is_in_parts)
    return createEmptyProject(migration, workspace, project)
  try {
    return await copyWhole(migration, workspace, { kind: 'project', from, name })
  } catch (thrown) {
    const refusal = refusalOf(thrown)
    if (refusal === undefined) throw thrown
    const anew = { key: null, exporting: null, restoring: null }
    await ledger.note('project', from, { ...anew, is_in_parts: true })
    const reason = `its tasks are carried one by one, because as a whole it was refused: ${refusal}`
    await ledger.recordProblem('project', from, { what: 'changed', code: 'in_parts', reason })
    return createEmptyProject(migration, workspace, project)
  }
}

/** Matches the tasks of a restored project: backups keep their order, names and frames. */
async function noteTasks(
  { target, ledger, session }: Migration,
  { source, organization }: MigrationWorkspace,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const { signal } = session
  const waiting: Task[] = []
  for await (const task of source.listTasks.each({ project_id: from, sort: 'id' }, { signal }))
    waiting.push(task)
  const options = { signal, organization }
  for await (const task of target.listTasks.each({ project_id: to, sort: 'id' }, options)) {
    const at = waiting.findIndex(({ name, size }) => name === task.name && size === task.size)
    const [found] = at < 0 ? [] : waiting.splice(at, 1)
    if (found) await ledger.note('task', found.id, { name: found.name, to: task.id })
  }
}

export async function migrateTasks(
  migration: Migration,
  workspace: MigrationWorkspace,
): Promise<void> {
  const { signal } = migration.session
  for await (const task of workspace.source.listTasks.each({ sort: 'id' }, { signal }))
    await migrateObject(migration, { kind: 'task', from: task.id, name: task.name }, () =>
      migrateTask(migration, workspace, task),
    )
}

async function migrateTask(
  migration: Migration,
  workspace: MigrationWorkspace,
  task: Task,
): Promise<void> {
  const { ledger } = migration
  if (!ledger.find('task', task.id).to) {
    const project = await projectOf(migration, task)
    if (project === 'missing') return
    const to = await makeTask(migration, workspace, { task, project })
    await ledger.note('task', task.id, { to })
  }
  await storeAt(migration, { kind: 'task', from: task.id }, task)
  const jobs = await describeTask(migration, workspace, task)
  await compareCounts(migration, workspace, { task, jobs })
  await assignTask(migration, workspace, { task, jobs })
  await migrateIssues(migration, workspace, { task, jobs })
}

/**
 * Returns the project of a task at the target. A task whose project is not visible with the token is migrated without
 * a project. `missing`: the project was not migrated, so its task is not either.
 */
async function projectOf(
  { ledger }: Migration,
  { id, project_id }: Task,
): Promise<number | undefined | 'missing'> {
  if (project_id === null) return undefined
  const { to, name } = ledger.find('project', project_id)
  if (to) return Number(to)
  const isHidden = name === undefined
  await ledger.recordProblem('task', id, {
    what: isHidden ? 'changed' : 'failed',
    code: 'project',
    reason: isHidden
      ? `it is a task of its own: project ${project_id} may not be seen with this token`
      : `its project ${name} was not carried`,
  })
  return isHidden ? undefined : 'missing'
}

async function makeTask(
  migration: Migration,
  workspace: MigrationWorkspace,
  { task, project }: { task: Task; project: number | undefined },
): Promise<number> {
  const { target, ledger, session } = migration
  const { id: from, name, size } = task
  const { signal } = session
  if (size === 0) return createEmptyTask(migration, workspace, { task, project })
  const to = await copyWhole(migration, workspace, { kind: 'task', from, name })
  if (project !== undefined) {
    await target.updateTask({ id: to, body: { project_id: project } }, { signal })
    await ledger.removeProblem('task', from, 'project')
  }
  return to
}
