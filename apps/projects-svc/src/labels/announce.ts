import { labelsChanged } from '@reticle/contracts/events/labels'
import type { Label } from '@reticle/contracts/rest/labels'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { type Owner, ownerColumns } from '../access/owner.ts'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { lockTaskIds, touchJobs, touchTasks } from '../db/shared-rows.ts'
import { affectedLabels, deletedLabels, type LabelsPlan } from './plan.ts'
import { listLabelChanges, replaceLabelChange } from './repo-changes.ts'

/**
 * Applies the consequences of a change of labels: tasks of a project and all jobs get the new date of the owner, and
 * an event for annotations-svc is emitted. Call it under the lock of the owner's row.
 */
export async function announceLabels(
  tx: Transaction<ProjectsDb>,
  owner: Owner & { updated_date: Date },
  labels_revision: number,
  { before, plan }: { before: readonly Label[]; plan: LabelsPlan },
  cause: EventCause,
): Promise<void> {
  await allowLongStatements(tx)
  const { kind, updated_date } = owner
  const task_ids = kind === 'task' ? [owner.id] : await touchTasksOf(tx, owner.id, updated_date)
  await touchJobs(tx, task_ids, updated_date)
  const follows =
    kind === 'project' ? await listLabelChanges(tx, { project_id: null, task_ids }) : []
  const data = {
    ...ownerColumns(owner),
    task_ids,
    labels_revision,
    deleted_label_ids: plan.removed_labels,
    deleted_labels: deletedLabels(before, plan),
    deleted_spec_ids: plan.removed_attributes,
    affected_label_ids: affectedLabels(before, plan),
    replaced_labels: [],
    replaced_specs: [],
    follows,
  }
  const event_id = await emit(tx, labelsChanged, data, cause)
  const isLoss = plan.removed_labels.length + plan.removed_attributes.length > 0
  if (isLoss) await replaceLabelChange(tx, owner, event_id)
}

async function touchTasksOf(
  tx: Transaction<ProjectsDb>,
  project_id: number,
  date: Date,
): Promise<number[]> {
  const ids = await lockTaskIds(tx, project_id)
  await touchTasks(tx, ids, date)
  return ids
}
