import { taskUpdated } from '@reticle/contracts/events/tasks'
import type { Task } from '@reticle/contracts/rest/tasks'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { ownerKey } from '../access/owner.ts'
import { fieldsBefore, isEmpty } from '../bodies/changes.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { touchProject } from '../db/shared-rows.ts'
import { announceLabels } from '../labels/announce.ts'
import type { LabelsPlan } from '../labels/plan.ts'
import { changesLabels, writeLabels } from '../labels/repo-write.ts'
import { type StorageChange, setStorages } from '../storages/repo.ts'
import { labelOwner } from './messages.ts'
import { announceMove, type Move } from './move.ts'
import { taskRecord } from './records.ts'
import { type TaskChanges, type TaskView, updateTask } from './repo.ts'

/** Checked changes of a task. */
export interface TaskChange {
  columns: TaskChanges
  storages: readonly StorageChange[]
  /** Labels of a task outside projects. */
  labels?: LabelsPlan
  move?: Move
}

/**
 * Changes a task that is locked together with its project, and emits one `update:task` event. A change without effect
 * keeps `updated_date` and emits none.
 *
 * @param before record of `row`, read under its lock; unchanged parts are taken from it
 * @returns the task after the change, and its record
 */
export async function changeTask(
  tx: Transaction<ProjectsDb>,
  row: TaskView,
  before: Task,
  { columns, storages, labels, move }: TaskChange,
  cause: EventCause,
): Promise<{ row: TaskView; record: Task }> {
  const relabelled = labels && changesLabels(before.labels, labels) ? labels : undefined
  if (isEmpty(columns) && storages.length === 0 && !relabelled && !move)
    return { row, record: before }
  const owner = { kind: 'task', id: row.id } as const
  await setStorages(tx, owner, storages)
  if (relabelled) await writeLabels(tx, owner, before.labels, relabelled)
  const labels_revision = row.labels_revision + (relabelled ? 1 : 0)
  const moved = move ? { project_id: move.project.id } : {}
  const changed = await updateTask(tx, row.id, { ...columns, ...moved, labels_revision })
  const record = await taskRecord(tx, changed, {
    labels: relabelled || move ? undefined : new Map([[ownerKey(labelOwner(row)), before.labels]]),
    jobs: new Map([[row.id, { task_id: row.id, ...before.jobs }]]),
  })
  const before_update = fieldsBefore(before, record)
  await emit(tx, taskUpdated, { task: record, before_update }, cause)
  if (relabelled) {
    const labels = { before: before.labels, plan: relabelled }
    const { updated_date } = changed
    await announceLabels(tx, { ...owner, updated_date }, labels_revision, labels, cause)
  }
  if (move) await announceMove(tx, row, move, cause)
  for (const id of new Set([row.project_id, changed.project_id])) await touchProject(tx, id)
  return { row: changed, record }
}
