import { labelsChanged } from '@reticle/contracts/events/labels'
import type { Label } from '@reticle/contracts/rest/labels'
import { type Cause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { type Owner, ownerColumns } from '../owner.ts'
import { lockTasksOfProject, touchJobs, touchTasks } from '../tasks/repo.ts'
import { affectedLabels, type LabelsPlan } from './plan.ts'

/**
 * What follows from a change of labels: the dates of a project's tasks and of all jobs move, and annotations-svc is told. To be called
 * under the lock of the owner's row.
 */
export async function announceLabels(
  tx: Transaction<ProjectsDb>,
  owner: Owner,
  labels_revision: number,
  { before, plan }: { before: readonly Label[]; plan: LabelsPlan },
  cause: Cause,
): Promise<void> {
  await allowLongStatements(tx)
  const task_ids = owner.kind === 'task' ? [owner.id] : await touchTasksOf(tx, owner.id)
  await touchJobs(tx, task_ids)
  const data = {
    ...ownerColumns(owner),
    task_ids,
    labels_revision,
    deleted_label_ids: plan.removed_labels,
    deleted_spec_ids: plan.removed_attributes,
    affected_label_ids: affectedLabels(before, plan),
    replaced_labels: [],
    replaced_specs: [],
  }
  await emit(tx, labelsChanged, data, cause)
}

async function touchTasksOf(tx: Transaction<ProjectsDb>, project_id: number): Promise<number[]> {
  const tasks = await lockTasksOfProject(tx, project_id)
  const ids = tasks.map((task) => task.id)
  await touchTasks(tx, ids)
  return ids
}
