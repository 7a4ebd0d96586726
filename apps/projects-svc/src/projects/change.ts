import { projectUpdated } from '@reticle/contracts/events/projects'
import type { Project } from '@reticle/contracts/rest/projects'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { ownerKey } from '../access/owner.ts'
import { fieldsBefore, isEmpty } from '../bodies/changes.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { announceLabels } from '../labels/announce.ts'
import type { LabelsPlan } from '../labels/plan.ts'
import { changesLabels, writeLabels } from '../labels/repo-write.ts'
import { type StorageChange, setStorages } from '../storages/repo.ts'
import { projectRecord } from './records.ts'
import { type ProjectChanges, updateProject } from './repo.ts'

/** Checked changes of a project. */
export interface ProjectChange {
  columns: ProjectChanges
  storages: readonly StorageChange[]
  labels?: LabelsPlan
}

/**
 * Changes a locked project and emits one `update:project` event. A change without effect keeps `updated_date` and
 * emits none.
 *
 * @param before record of `row`, read under its lock; unchanged parts are taken from it
 * @returns the record after the change
 */
export async function changeProject(
  tx: Transaction<ProjectsDb>,
  row: ProjectRow,
  before: Project,
  { columns, storages, labels }: ProjectChange,
  cause: EventCause,
): Promise<Project> {
  const relabelled = labels && changesLabels(before.labels, labels) ? labels : undefined
  if (isEmpty(columns) && storages.length === 0 && !relabelled) return before
  const owner = { kind: 'project', id: row.id } as const
  await setStorages(tx, owner, storages)
  if (relabelled) await writeLabels(tx, owner, before.labels, relabelled)
  const labels_revision = row.labels_revision + (relabelled ? 1 : 0)
  const changed = await updateProject(tx, row.id, { ...columns, labels_revision })
  const { id, guide_id, task_subsets: subsets, dimension, tasks } = before
  const after = await projectRecord(tx, changed, {
    labels: relabelled ? undefined : new Map([[ownerKey(owner), before.labels]]),
    summaries: new Map([[id, { id, guide_id, count: tasks.count, subsets, dimension }]]),
  })
  const before_update = fieldsBefore(before, after)
  await emit(tx, projectUpdated, { project: after, before_update }, cause)
  if (relabelled) {
    const labels = { before: before.labels, plan: relabelled }
    const { updated_date } = changed
    await announceLabels(tx, { ...owner, updated_date }, labels_revision, labels, cause)
  }
  return after
}
