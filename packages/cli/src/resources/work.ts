import type {
  Job,
  JobCreate,
  JobPatch,
  Label,
  LabelPatch,
  Project,
  ProjectCreate,
  ProjectPatch,
  Task,
  TaskPatch,
} from '@reticle/sdk'
import { assigneeColumn, column, idColumn, ownerColumn, updatedColumn } from './columns.ts'
import type { Field } from './fields.ts'
import { choice, numberId, type Resource } from './resource.ts'

/** Projects, tasks, jobs and labels. */

const byName: Field = { key: 'name', flags: '--name <name>', about: 'only those of this name' }
export const byOwner: Field = {
  key: 'owner',
  flags: '--owner <username>',
  about: 'only what is theirs',
}
export const byAssignee: Field = {
  key: 'assignee',
  flags: '--assignee <username>',
  about: 'only what they are to do',
}
export const within = (key: 'project_id' | 'task_id' | 'job_id'): Field => {
  const word = key.replace('_id', '')
  return { key, flags: `--${word} <id>`, about: `only of this ${word}`, kind: 'number' }
}
const statuses = ['annotation', 'validation', 'completed'] as const

export const assignee = {
  key: 'assignee_id',
  flags: '--assignee <user>',
  about: 'who is to do it: a name, an id, me, or none',
  kind: 'user',
} as const
const owner = {
  key: 'owner_id',
  flags: '--owner <user>',
  about: 'whose it is: a name or an id',
  kind: 'user',
} as const
export const labels = {
  key: 'labels',
  flags: '--label <label>',
  about:
    'a label by its name, or one or a list of them as JSON or in a .json file; may be given several times',
  kind: 'labels',
} as const
export const tracker = {
  key: 'bug_tracker',
  flags: '--bug-tracker <url>',
  about: 'where problems are reported',
} as const
const storages = [
  {
    key: 'source_storage',
    flags: '--source-storage <json>',
    about: 'where imports come from where nobody says, as JSON',
    kind: 'json',
  },
  {
    key: 'target_storage',
    flags: '--target-storage <json>',
    about: 'where exports go where nobody says, as JSON',
    kind: 'json',
  },
] as const
const organization = {
  key: 'organization_id',
  flags: '--move-to <organization>',
  about: 'id of the organization that it moves to; none: the personal workspace',
  kind: 'number',
} as const
const newName = { key: 'name', flags: '--name <name>', about: 'what it is called' } as const

export const project: Resource<Project, ProjectCreate, ProjectPatch> = {
  word: 'project',
  one: 'a project',
  id: numberId,
  columns: [
    idColumn,
    column('NAME', ({ name }) => name),
    column('STATUS', ({ status }) => status),
    column('TASKS', ({ tasks }) => tasks.count, true),
    ownerColumn,
    assigneeColumn,
    updatedColumn,
  ],
  list: {
    each: (client, query, options) => client.listProjects.each(query, options),
    filters: [byName, byOwner, byAssignee, choice('status', statuses, 'only those')],
  },
  get: (client, id, options) => client.getProject({ id }, options),
  create: {
    fields: [
      { key: 'name', flags: '<name>', about: 'what it is called' },
      labels,
      owner,
      assignee,
      tracker,
      ...storages,
    ],
    call: (client, body, options) => client.createProject({ body }, options),
    example: 'reticle project create Streets --label car --label bus',
  },
  update: {
    fields: [
      newName,
      { ...choice('status', statuses, 'how far it is'), key: 'status' },
      labels,
      owner,
      assignee,
      tracker,
      ...storages,
      organization,
    ],
    call: (client, id, body, options) => client.updateProject({ id, body }, options),
    example: 'reticle project update 7 --status completed --assignee anna',
  },
  remove: (client, id, options) => client.deleteProject({ id }, options),
}

export const task: Resource<Task, never, TaskPatch> = {
  word: 'task',
  one: 'a task',
  id: numberId,
  columns: [
    idColumn,
    column('NAME', ({ name }) => name),
    column('STATUS', ({ status }) => status),
    column('FRAMES', ({ size }) => size, true),
    column('JOBS', ({ jobs }) => `${jobs.completed}/${jobs.count}`, true),
    column('PROJECT', ({ project_name, project_id }) => project_name ?? project_id),
    assigneeColumn,
    updatedColumn,
  ],
  list: {
    each: (client, query, options) => client.listTasks.each(query, options),
    filters: [
      byName,
      byOwner,
      byAssignee,
      within('project_id'),
      choice('status', ['new', ...statuses], 'only those'),
      { key: 'subset', flags: '--subset <name>', about: 'only of this subset' },
    ],
  },
  get: (client, id, options) => client.getTask({ id }, options),
  update: {
    fields: [
      newName,
      { key: 'project_id', flags: '--project <id>', about: 'moves into it', kind: 'number' },
      { key: 'subset', flags: '--subset <name>', about: 'its subset in exports' },
      labels,
      owner,
      assignee,
      tracker,
      ...storages,
      organization,
    ],
    call: (client, id, body, options) => client.updateTask({ id, body }, options),
    example: 'reticle task update 12 --subset train --assignee me',
  },
  remove: (client, id, options) => client.deleteTask({ id }, options),
}

const stages = ['annotation', 'validation', 'acceptance'] as const
const states = ['new', 'in progress', 'completed', 'rejected'] as const
const jobTypes = ['annotation', 'ground_truth', 'consensus_replica'] as const

export const job: Resource<Job, JobCreate, JobPatch> = {
  word: 'job',
  one: 'a job',
  id: numberId,
  columns: [
    idColumn,
    column('TASK', ({ task_id }) => task_id, true),
    column('FRAMES', ({ start_frame, stop_frame }) => `${start_frame}-${stop_frame}`),
    column('TYPE', ({ type }) => type),
    column('STAGE', ({ stage }) => stage),
    column('STATE', ({ state }) => state),
    assigneeColumn,
    updatedColumn,
  ],
  list: {
    each: (client, query, options) => client.listJobs.each(query, options),
    filters: [
      byAssignee,
      within('task_id'),
      within('project_id'),
      choice('stage', stages, 'only those'),
      choice('state', states, 'only those'),
      choice('type', jobTypes, 'only those'),
    ],
  },
  get: (client, id, options) => client.getJob({ id }, options),
  create: {
    fields: [
      {
        key: 'task_id',
        flags: '--task <id>',
        about: 'the task that it checks',
        kind: 'number',
        required: true,
      },
      { ...choice('type', ['ground_truth'], 'what it is for'), key: 'type', required: true },
      {
        key: 'frame_selection_method',
        flags: '--frame-selection <method>',
        about: 'how its frames are chosen',
        choices: ['random_uniform', 'random_per_job', 'manual'],
        required: true,
      },
      { key: 'frame_count', flags: '--frame-count <count>', about: 'how many', kind: 'number' },
      { key: 'frame_share', flags: '--frame-share <share>', about: '0 to 1', kind: 'number' },
      { key: 'frames', flags: '--frames <json>', about: 'which, as a JSON list', kind: 'json' },
      {
        key: 'random_seed',
        flags: '--seed <number>',
        about: 'for the same choice again',
        kind: 'number',
      },
      assignee,
    ],
    call: (client, body, options) => client.createJob({ body }, options),
    example:
      'reticle job create --task 12 --type ground_truth --frame-selection random_uniform --frame-count 5',
  },
  update: {
    fields: [
      assignee,
      { ...choice('stage', stages, 'the stage'), key: 'stage' },
      { ...choice('state', states, 'the state'), key: 'state' },
    ],
    call: (client, id, body, options) => client.updateJob({ id, body }, options),
    example: 'reticle job update 31 --assignee anna --stage validation',
  },
  remove: (client, id, options) => client.deleteJob({ id }, options),
}

export const label: Resource<Label, never, LabelPatch> = {
  word: 'label',
  one: 'a label',
  id: numberId,
  columns: [
    idColumn,
    column('NAME', ({ name }) => name),
    column('TYPE', ({ type }) => type),
    column('COLOR', ({ color }) => color),
    column('ATTRIBUTES', ({ attributes }) => attributes),
  ],
  list: {
    each: (client, query, options) => client.listLabels.each(query, options),
    filters: [within('project_id'), within('task_id'), within('job_id'), byName],
  },
  get: (client, id, options) => client.getLabel({ id }, options),
  update: {
    fields: [
      newName,
      { key: 'color', flags: '--color <color>', about: 'like #2080c0' },
      { key: 'attributes', flags: '--attributes <json>', about: 'as JSON', kind: 'json' },
    ],
    call: (client, id, body, options) => client.updateLabel({ id, body }, options),
    example: "reticle label update 40 --color '#2080c0'",
  },
  remove: (client, id, options) => client.deleteLabel({ id }, options),
}
