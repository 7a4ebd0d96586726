import type { Label } from '@reticle/contracts/rest/labels'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { Task } from '@reticle/contracts/rest/tasks'
import { seesProject } from '../access/authorize.ts'
import { type Owner, ownerKey } from '../access/owner.ts'
import { type People, personOf } from '../organizations/index.ts'
import { type Storages, storageOf } from '../storages/repo.ts'
import type { JobsSummary, TaskView } from './repo.ts'

/** Related rows of tasks, read for all of them together. */
export interface TaskSurroundings {
  people: People
  labels: ReadonlyMap<string, Label[]>
  storages: Storages
  jobs: ReadonlyMap<number, JobsSummary>
}

/** Returns the owner of the labels of a task: its project, otherwise the task. */
export const labelOwner = ({ id, project_id }: Pick<TaskView, 'id' | 'project_id'>): Owner =>
  project_id === null ? { kind: 'task', id } : { kind: 'project', id: project_id }

/** Converts a row to a task record with all fields. */
export function toTask(row: TaskView, around: TaskSurroundings): Task {
  const owner: Owner = { kind: 'task', id: row.id }
  const { count = 0, completed = 0, validation = 0 } = around.jobs.get(row.id) ?? {}
  return {
    url: `/tasks/${row.id}`,
    id: row.id,
    name: row.name,
    project_id: row.project_id,
    project_name: row.project_name,
    owner: personOf(around.people, row.owner_id),
    assignee: personOf(around.people, row.assignee_id),
    assignee_updated_date: row.assignee_updated_date?.toISOString() ?? null,
    status: row.status,
    size: row.size,
    mode: row.mode,
    dimension: row.dimension,
    media_type: row.media_type,
    subset: row.subset,
    bug_tracker: row.bug_tracker,
    overlap: row.overlap,
    segment_size: row.segment_size,
    ...dataFields(row),
    guide_id: row.guide_id,
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
    revision: row.revision,
    organization: row.organization_id,
    organization_id: row.organization_id,
    source_storage: storageOf(around.storages, owner, 'source'),
    target_storage: storageOf(around.storages, owner, 'target'),
    jobs: { count, completed, validation, url: `/jobs?task_id=${row.id}` },
    labels: around.labels.get(ownerKey(labelOwner(row))) ?? [],
    validation_mode: row.validation_mode,
    consensus_enabled: row.consensus_replicas > 0,
  }
}

/** Only `data` is present before media is attached. */
function dataFields(row: TaskView) {
  const { data, data_chunk_size, data_cloud_storage_id, image_quality } = row
  if (data === null || data_chunk_size === null || image_quality === null) return { data: null }
  return {
    data,
    data_chunk_size,
    data_compressed_chunk_type: 'imageset' as const,
    data_original_chunk_type: 'imageset' as const,
    data_cloud_storage_id,
    image_quality,
  }
}

/** Returns the record as the caller may see it: the name of a hidden project is null. */
export function shownTask(principal: Principal, row: TaskView, record: Task): Task {
  return seesProject(principal, row) ? record : { ...record, project_name: null }
}

export const noDataText = 'Data is not uploaded for the task yet'
