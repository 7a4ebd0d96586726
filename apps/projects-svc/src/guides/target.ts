import type { GuideCreate } from '@reticle/contracts/rest/guides'
import { invalid } from '@reticle/kit/call/errors'
import type { Transaction } from 'kysely'
import type { Owner } from '../access/owner.ts'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { lockProject, touchJobs, touchProject, touchTasks } from '../db/shared-rows.ts'
import { lockTaskAndProject, lockTasksOfProject } from '../tasks/repo.ts'

type Tx = Transaction<ProjectsDb>

/** Locked target of a guide. */
export interface GuideTarget extends Owner {
  /** Project of the target: itself, or the project of the task. */
  project_id: number | null
}

/**
 * Returns the project or task that the body of a new guide names.
 *
 * @throws DomainError invalid for both and for none
 */
export function readTarget({ project_id, task_id }: GuideCreate): Owner {
  if (project_id != null && task_id == null) return { kind: 'project', id: project_id }
  if (task_id != null && project_id == null) return { kind: 'task', id: task_id }
  throw invalid({ non_field_errors: 'Exactly one of project_id and task_id has to be given.' })
}

/** Locks the target of a guide. The lock also covers changes of the guide. */
export async function lockTarget(tx: Tx, { kind, id }: Owner): Promise<GuideTarget | undefined> {
  if (kind === 'project') return (await lockProject(tx, id)) && { kind, id, project_id: id }
  const row = await lockTaskAndProject(tx, id)
  return row && { kind, id, project_id: row.project_id }
}

/** Moves the dates of a locked target and of its project, without an event. */
export async function touchTarget(tx: Tx, { kind, id, project_id }: GuideTarget): Promise<void> {
  if (kind === 'task') await touchTasks(tx, [id])
  await touchProject(tx, project_id)
}

/** Moves the dates of a target and of its jobs, whose records name the guide, when a guide is created or deleted. */
export async function touchTargetAndJobs(tx: Tx, target: GuideTarget): Promise<void> {
  await allowLongStatements(tx)
  await touchTarget(tx, target)
  const tasks = target.kind === 'task' ? [target] : await lockTasksOfProject(tx, target.id)
  await touchJobs(
    tx,
    tasks.map((task) => task.id),
  )
}
