import type { Comment } from '../rest/comments.ts'
import type { Facts } from '../rest/facts.ts'
import type { Issue } from '../rest/issues.ts'
import type { Job } from '../rest/jobs.ts'
import type { Attribute, Label } from '../rest/labels.ts'
import type { FrameSource } from '../rest/media.ts'
import type { Invitation, Membership, Organization } from '../rest/organizations.ts'
import type { Project } from '../rest/projects.ts'
import type { Request } from '../rest/requests.ts'
import type { Task } from '../rest/tasks.ts'
import type { BasicUser, User } from '../rest/users.ts'

/**
 * Complete records for tests, with links as paths like those of services. Tests pass only the fields that matter.
 * Project 7 has task 1 with ten frames and job 31, and the user anna owns all of them.
 */

const anna: BasicUser = {
  url: '/users/3',
  id: 3,
  username: 'anna',
  first_name: 'Anna',
  last_name: 'Lind',
}

const shared = {
  assignee: null,
  assignee_updated_date: null,
  bug_tracker: '',
  guide_id: null,
  created_date: '2026-03-01T09:00:00.000Z',
  updated_date: '2026-03-01T10:00:00.000Z',
  organization: null,
  source_storage: null,
  target_storage: null,
} as const

export function projectRecord(given: Partial<Project> = {}): Project {
  const { id = 7 } = given
  return {
    ...shared,
    url: `/projects/${id}`,
    id,
    name: 'Street scenes',
    owner: anna,
    status: 'annotation',
    labels: [],
    task_subsets: [],
    dimension: null,
    organization_id: null,
    tasks: { count: 0, url: `/tasks?project_id=${id}` },
    ...given,
  }
}

export function taskRecord(given: Partial<Task> = {}): Task {
  const { id = 1 } = given
  return {
    ...shared,
    url: `/tasks/${id}`,
    id,
    name: 'Batch 1',
    project_id: 7,
    project_name: 'Street scenes',
    owner: anna,
    status: 'annotation',
    size: 10,
    mode: 'annotation',
    dimension: '2d',
    media_type: 'image',
    subset: '',
    overlap: 0,
    segment_size: 10,
    data: 1,
    organization_id: null,
    jobs: { count: 1, completed: 0, validation: 0, url: `/jobs?task_id=${id}` },
    labels: [],
    validation_mode: null,
    consensus_enabled: false,
    ...given,
  }
}

export function jobRecord(given: Partial<Job> = {}): Job {
  const { id = 31 } = given
  return {
    ...shared,
    url: `/jobs/${id}`,
    id,
    task_id: 1,
    task_name: 'Batch 1',
    project_id: 7,
    project_name: 'Street scenes',
    dimension: '2d',
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
    issues: { url: `/issues?job_id=${id}`, count: 0 },
    labels: { url: `/labels?job_id=${id}` },
    parent_job_id: null,
    replicas_count: 0,
    consensus_replicas: 0,
    ...given,
  }
}

const dates = { created_date: shared.created_date, updated_date: shared.updated_date }

/** Builds an issue on the first frame of job 31. */
export function issueRecord(given: Partial<Issue> = {}): Issue {
  const { id = 5 } = given
  return {
    ...dates,
    id,
    frame: 0,
    position: [10, 20, 30, 40],
    job: 31,
    owner: anna,
    assignee: null,
    resolved: false,
    comments: { count: 1, url: `/comments?issue_id=${id}` },
    ...given,
  }
}

export function commentRecord(given: Partial<Comment> = {}): Comment {
  return { ...dates, id: 6, issue: 5, owner: anna, message: 'Box cuts the mirror', ...given }
}

export function userRecord(given: Partial<User> = {}): User {
  const { id = anna.id } = given
  return {
    ...anna,
    url: `/users/${id}`,
    email: 'anna@example.org',
    groups: ['user'],
    is_staff: false,
    is_superuser: false,
    is_active: true,
    last_login: null,
    date_joined: '2026-03-01T09:00:00.000Z',
    has_analytics_access: false,
    ...given,
  }
}

/** Builds the organization of anna. */
export function organizationRecord(given: Partial<Organization> = {}): Organization {
  const named = { slug: 'acme', name: 'Acme Vision', description: '', contact: {} }
  return { ...dates, id: 2, ...named, owner: anna, ...given }
}

/** Builds the membership of anna in her organization. */
export function membershipRecord(given: Partial<Membership> = {}): Membership {
  const active = { is_active: true, joined_date: dates.created_date, invitation: null }
  return { id: 21, user: anna, organization: 2, role: 'owner', ...active, ...given }
}

/** Builds an invitation that anna sent to herself, without its key. */
export function invitationRecord(given: Partial<Invitation> = {}): Omit<Invitation, 'key'> {
  const { organization = 2 } = given
  const { created_date } = dates
  const organization_info = { id: organization, slug: 'acme' }
  const people = { owner: anna, user: anna, role: 'worker' as const }
  const state = { expired: false, accepted: false }
  return { created_date, organization, organization_info, ...people, ...state, ...given }
}

/** Builds facts of task 1, as its owner receives them. */
export function factsOf(given: Partial<Facts> = {}): Facts {
  return {
    target: 'task',
    name: 'Batch 1',
    project_id: 7,
    task_id: 1,
    job_id: null,
    organization_id: null,
    organization_role: null,
    relations: ['task owner'],
    labels_revision: 1,
    label_events: [],
    size: 10,
    dimension: '2d',
    subset: '',
    updated_date: shared.updated_date,
    jobs: [{ id: 31, start_frame: 0, stop_frame: 9 }],
    frames: [],
    ...given,
  }
}

/** Builds a label for every shape type, without attributes. */
export function labelOf(given: Partial<Label> = {}): Label {
  return {
    id: 40,
    name: 'car',
    color: '#ff0000',
    type: 'any',
    attributes: [],
    has_parent: false,
    sublabels: [],
    project_id: 7,
    parent_id: null,
    ...given,
  }
}

/** Builds a text attribute whose default is the first of its values. */
export function attributeOf(given: Partial<Attribute> = {}): Attribute {
  return {
    id: 90,
    name: 'make',
    mutable: false,
    input_type: 'text',
    default_value: given.values?.[0] ?? '',
    values: [],
    ...given,
  }
}

/** Builds an image of 100 by 50 pixels, alone in its object. */
export function frameOf(given: Partial<FrameSource> = {}): FrameSource {
  return {
    name: 'a.jpg',
    width: 100,
    height: 50,
    key: 'media/a',
    offset: 0,
    length: 1,
    packing: 'stored',
    media_type: 'image/jpeg',
    ...given,
  }
}

/** Builds a queued export of the annotations of task 1. */
export function requestRecord(given: Partial<Request> = {}): Request {
  return {
    id: 'action=export&target=task&target_id=1&user_id=3&format=COCO_1~0&subresource=annotations',
    status: 'queued',
    message: '',
    operation: {
      type: 'export:annotations',
      target: 'task',
      format: 'COCO 1.0',
      project_id: 7,
      task_id: 1,
      job_id: null,
      org_id: null,
      function_id: null,
      lightweight: null,
    },
    progress: 0,
    queue_position: null,
    eta_seconds: null,
    attempt: 0,
    bytes_done: null,
    bytes_total: null,
    items_done: null,
    items_total: null,
    created_date: '2026-03-01T10:00:00.000Z',
    started_date: null,
    finished_date: null,
    expiry_date: null,
    owner: { id: anna.id, username: anna.username },
    result_url: null,
    result_id: null,
    report: null,
    ...given,
  }
}
