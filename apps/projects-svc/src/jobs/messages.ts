import type { Job } from '@reticle/contracts/rest/jobs'
import type { Principal } from '@reticle/contracts/rest/principal'
import { hasPermission } from '@reticle/kit/call/policy'
import { seesProject } from '../access/authorize.ts'
import type { Owner } from '../access/owner.ts'
import { taskStanding } from '../access/standing.ts'
import { taskRules } from '../access/task-policy.ts'
import { type People, personOf } from '../organizations/index.ts'
import { type Storages, storageOf } from '../storages/repo.ts'
import type { JobView } from './repo.ts'

/** Converts a row to a job record with all fields. */
export function toJob(row: JobView, people: People, storages: Storages): Job {
  const task: Owner = { kind: 'task', id: row.task_id }
  return {
    url: `/jobs/${row.id}`,
    id: row.id,
    task_id: row.task_id,
    task_name: row.task_name,
    project_id: row.project_id,
    project_name: row.project_name,
    assignee: personOf(people, row.assignee_id),
    assignee_updated_date: row.assignee_updated_date?.toISOString() ?? null,
    guide_id: row.guide_id,
    dimension: row.dimension,
    mode: row.mode,
    media_type: row.media_type,
    bug_tracker: row.task_bug_tracker || (row.project_bug_tracker ?? ''),
    status: row.status,
    stage: row.stage,
    state: row.state,
    type: row.type,
    frame_count: row.frame_count ?? row.stop_frame - row.start_frame + 1,
    start_frame: row.start_frame,
    stop_frame: row.stop_frame,
    data_chunk_size: row.data_chunk_size ?? 0,
    data_compressed_chunk_type: 'imageset',
    data_original_chunk_type: 'imageset',
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
    revision: row.revision,
    issues: { url: `/issues?job_id=${row.id}`, count: row.issues_count },
    labels: { url: `/labels?job_id=${row.id}` },
    organization: row.organization_id,
    source_storage: storageOf(storages, task, 'source'),
    target_storage: storageOf(storages, task, 'target'),
    parent_job_id: row.parent_job_id,
    replicas_count: row.replicas_count,
    consensus_replicas: row.replicas_count,
  }
}

/** Returns the record as the caller may see it: names and storages of a hidden task or project are null. */
export function shownJob(principal: Principal, row: JobView, record: Job): Job {
  const shown = seesProject(principal, row) ? record : { ...record, project_name: null }
  if (seesTask(principal, row)) return shown
  return { ...shown, task_name: null, source_storage: null, target_storage: null }
}

function seesTask(principal: Principal, row: JobView): boolean {
  const people = { ...row, owner_id: row.task_owner_id, assignee_id: row.task_assignee_id }
  return hasPermission(taskRules, 'view', principal, taskStanding(principal, people))
}
