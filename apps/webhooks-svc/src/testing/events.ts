import { randomUUID } from 'node:crypto'
import type { EventType } from '@reticle/contracts/events/define'
import type { Job } from '@reticle/contracts/rest/jobs'
import type { Project } from '@reticle/contracts/rest/projects'
import type { Task } from '@reticle/contracts/rest/tasks'
import type { BusEvent } from '@reticle/kit/bus/bus'

/** Whole records of the other services, for events; a test says what matters to it. */

const date = '2026-03-01T10:00:00.000Z'
const anna = { url: '/users/3', id: 3, username: 'anna', first_name: 'Anna', last_name: 'L' }
const nowhere = { organization: null, source_storage: null, target_storage: null }

export function project(given: Partial<Project> = {}): Project {
  return {
    ...{ url: '/projects/7', id: 7, name: 'Trucks', owner: anna, assignee: null },
    ...{ assignee_updated_date: null, status: 'annotation', labels: [], bug_tracker: '' },
    ...{ guide_id: null, task_subsets: [], dimension: null, created_date: date },
    ...{ updated_date: date, organization_id: null, ...nowhere },
    tasks: { count: 0, url: '/tasks?project_id=7' },
    ...given,
  }
}

export function task(given: Partial<Task> = {}): Task {
  return {
    ...{ url: '/tasks/12', id: 12, name: 'Batch 1', project_id: 7, project_name: 'Trucks' },
    ...{ owner: anna, assignee: null, assignee_updated_date: null, status: 'annotation' },
    ...{ size: 10, mode: 'annotation', dimension: '2d', media_type: 'image', subset: '' },
    ...{ bug_tracker: '', overlap: 0, segment_size: 10, data: 12, guide_id: null },
    ...{ created_date: date, updated_date: date, organization_id: null, ...nowhere },
    jobs: { count: 1, completed: 0, validation: 0, url: '/jobs?task_id=12' },
    ...{ labels: [], validation_mode: null, consensus_enabled: false },
    ...given,
  }
}

export function job(given: Partial<Job> = {}): Job {
  return {
    ...{ url: '/jobs/31', id: 31, task_id: 12, task_name: 'Batch 1', project_id: 7 },
    ...{ project_name: 'Trucks', assignee: null, assignee_updated_date: null, guide_id: null },
    ...{ dimension: '2d', mode: 'annotation', media_type: 'image', bug_tracker: '' },
    ...{ status: 'annotation', stage: 'annotation', state: 'new', type: 'annotation' },
    ...{ frame_count: 10, start_frame: 0, stop_frame: 9, data_chunk_size: 36 },
    ...{ data_compressed_chunk_type: 'imageset', data_original_chunk_type: 'imageset' },
    ...{ created_date: date, updated_date: date, ...nowhere },
    issues: { url: '/issues?job_id=31', count: 0 },
    labels: { url: '/labels?job_id=31' },
    ...{ parent_job_id: null, replicas_count: 0, consensus_replicas: 0 },
    ...given,
  }
}

/** An event as the bus hands it over, caused by anna. */
export function eventOf<D>(
  type: EventType<D>,
  data: NoInfer<D>,
  given: Partial<BusEvent> = {},
): BusEvent {
  return {
    id: randomUUID(),
    type: type.type,
    version: type.version,
    occurred_date: date,
    organization_id: null,
    actor: {
      id: 3,
      username: 'anna',
      first_name: 'Anna',
      last_name: 'L',
      email: 'anna@example.org',
    },
    request_id: 'test',
    key: type.key(data),
    data,
    ...given,
  }
}
