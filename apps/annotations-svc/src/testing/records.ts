import type { EventType } from '@reticle/contracts/events/define'
import type { Job } from '@reticle/contracts/rest/jobs'
import type { Project } from '@reticle/contracts/rest/projects'
import type { Task } from '@reticle/contracts/rest/tasks'
import type { Handle } from '@reticle/kit/bus/bus'
import type { Kysely } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'

/** Records as events of projects-svc carry them. */

const date = '2026-03-01T10:00:00.000Z'

export function jobRecord(given: Pick<Job, 'id' | 'task_id'> & Partial<Job>): Job {
  return {
    url: `/jobs/${given.id}`,
    task_name: 'Batch 1',
    project_id: 7,
    project_name: null,
    assignee: null,
    assignee_updated_date: null,
    guide_id: null,
    dimension: '2d',
    mode: 'annotation',
    media_type: 'image',
    bug_tracker: '',
    status: 'annotation',
    stage: 'annotation',
    state: 'new',
    type: 'annotation',
    frame_count: 5,
    start_frame: 0,
    stop_frame: 4,
    data_chunk_size: 36,
    data_compressed_chunk_type: 'imageset',
    data_original_chunk_type: 'imageset',
    created_date: date,
    updated_date: date,
    issues: { url: '/issues', count: 0 },
    labels: { url: '/labels' },
    organization: null,
    source_storage: null,
    target_storage: null,
    parent_job_id: null,
    replicas_count: 0,
    consensus_replicas: 0,
    ...given,
  }
}

export function taskRecord(given: Pick<Task, 'id'> & Partial<Task>): Task {
  return {
    url: `/tasks/${given.id}`,
    name: 'Batch 1',
    project_id: 7,
    project_name: null,
    owner: null,
    assignee: null,
    assignee_updated_date: null,
    status: 'annotation',
    size: 15,
    mode: 'annotation',
    dimension: '2d',
    media_type: 'image',
    subset: '',
    bug_tracker: '',
    overlap: 0,
    segment_size: 5,
    data: 12,
    guide_id: null,
    created_date: date,
    updated_date: date,
    organization: null,
    organization_id: null,
    source_storage: null,
    target_storage: null,
    jobs: { count: 3, completed: 0, validation: 0, url: '/jobs' },
    labels: [],
    validation_mode: null,
    consensus_enabled: false,
    ...given,
  }
}

export function projectRecord(given: Pick<Project, 'id'> & Partial<Project>): Project {
  return {
    url: `/projects/${given.id}`,
    name: 'Street scenes',
    owner: null,
    assignee: null,
    assignee_updated_date: null,
    guide_id: null,
    bug_tracker: '',
    status: 'annotation',
    dimension: null,
    task_subsets: [],
    labels: [],
    tasks: { count: 0, url: '/tasks' },
    organization: null,
    organization_id: null,
    source_storage: null,
    target_storage: null,
    created_date: date,
    updated_date: date,
    ...given,
  }
}

/** Hands an event to a consumer, as the bus would. */
export function receiver(db: Kysely<AnnotationsDb>, handle: Handle<AnnotationsDb>) {
  return <T>(event: EventType<T>, data: NoInfer<T>) =>
    db.transaction().execute((tx) =>
      handle(tx, {
        id: '01890000-0000-7000-8000-000000000001',
        type: event.type,
        version: event.version,
        occurred_date: date,
        organization_id: null,
        actor: null,
        request_id: 'test',
        key: event.key(data),
        data: JSON.parse(JSON.stringify(data)),
      }),
    )
}
