import type { Job } from '@reticle/contracts/rest/jobs'
import type { Project } from '@reticle/contracts/rest/projects'
import type { Task } from '@reticle/contracts/rest/tasks'

/** Whole records as the events of projects-svc carry them; a test names what matters to it. */

const shared = {
  assignee: null,
  assignee_updated_date: null,
  guide_id: null,
  bug_tracker: '',
  dimension: '2d',
  created_date: '2026-03-01T10:00:00.000Z',
  updated_date: '2026-03-01T10:00:00.000Z',
  organization: null,
  source_storage: null,
  target_storage: null,
} as const

export function projectRecord(given: Pick<Project, 'id'>): Project {
  return {
    ...shared,
    url: `/projects/${given.id}`,
    name: 'a project',
    owner: null,
    status: 'annotation',
    labels: [],
    task_subsets: [],
    organization_id: null,
    tasks: { count: 0, url: `/tasks?project_id=${given.id}` },
    ...given,
  }
}

export function taskRecord(given: Pick<Task, 'id'>): Task {
  return {
    ...shared,
    url: `/tasks/${given.id}`,
    name: 'a task',
    project_id: null,
    project_name: null,
    owner: null,
    status: 'annotation',
    size: 10,
    mode: 'annotation',
    media_type: 'image',
    subset: '',
    overlap: 0,
    segment_size: 10,
    data: 1,
    organization_id: null,
    jobs: { count: 1, completed: 0, validation: 0, url: `/jobs?task_id=${given.id}` },
    labels: [],
    validation_mode: null,
    consensus_enabled: false,
    ...given,
  }
}

export function jobRecord(given: Pick<Job, 'id'>): Job {
  return {
    ...shared,
    url: `/jobs/${given.id}`,
    task_id: 1,
    task_name: 'a task',
    project_id: null,
    project_name: null,
    mode: 'annotation',
    media_type: 'image',
    status: 'annotation',
    stage: 'annotation',
    state: 'new',
    type: 'annotation',
    frame_count: 10,
    start_frame: 0,
    stop_frame: 9,
    data_chunk_size: 36,
    data_compressed_chunk_type: 'imageset',
    data_original_chunk_type: 'imageset',
    issues: { url: `/issues?job_id=${given.id}`, count: 0 },
    labels: { url: `/labels?job_id=${given.id}` },
    parent_job_id: null,
    replicas_count: 0,
    consensus_replicas: 0,
    ...given,
  }
}
