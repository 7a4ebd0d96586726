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
import { assigneeColumn, createColumn, idColumn, ownerColumn, updatedColumn } from './columns.ts'
import type { BodyField } from './fields.ts'
import { choiceFilter, numberId, type ResourceDefinition } from './resource.ts'

/** Projects, tasks, jobs and labels. */

const byName: BodyField = {
  key: 'name',
  flags: '--name <name>',
  description: 'only with this name',
}
export const byOwner: BodyField = {
  key: 'owner',
  flags: '--owner <username>',
  description: 'only of this owner',
}
export const byAssignee: BodyField = {
  key: 'assignee',
  flags: '--assignee <username>',
  description: 'only of this assignee',
}
export const parentFilter = (key: 'project_id' | 'task_id' | 'job_id'): BodyField => {
  const word = key.replace('_id', '')
  return { key, flags: `--${word} <id>`, description: `only of this ${word}`, kind: 'number' }
}
const statuses = ['annotation', 'validation', 'completed'] as const

export const assignee = {
  key: 'assignee_id',
  flags: '--assignee <user>',
  description: 'assignee: a name, an id, me, or none',
  kind: 'user',
} as const
const owner = {
  key: 'owner_id',
  flags: '--owner <user>',
  description: 'owner: a name or an id',
  kind: 'user',
} as const
export const labels = {
  key: 'labels',
  flags: '--label <label>',
  description:
    'a label by its name, or one or a list of them as JSON or in a .json file; may be given several times',
  kind: 'labels',
} as const
export const tracker = {
  key: 'bug_tracker',
  flags: '--bug-tracker <url>',
  description: 'URL of the issue tracker',
} as const
const storages = [
  {
    key: 'source_storage',
    flags: '--source-storage <json>',
    description: 'default source of imports, as JSON',
    kind: 'json',
  },
  {
    key: 'target_storage',
    flags: '--target-storage <json>',
    description: 'default target of exports, as JSON',
    kind: 'json',
  },
] as const
const organization = {
  key: 'organization_id',
  flags: '--move-to <organization>',
  description: 'id of the new organization; none: the personal workspace',
  kind: 'number',
} as const
const newName = { key: 'name', flags: '--name <name>', description: 'name' } as const

export const project: ResourceDefinition<Project, ProjectCreate, ProjectPatch> = {
  word: 'project',
  one: 'a project',
  id: numberId,
  columns: [
    idColumn,
    createColumn('NAME', ({ name }) => name),
    createColumn('STATUS', ({ status }) => status),
    createColumn('TASKS', ({ tasks }) => tasks.count, true),
    ownerColumn,
    assigneeColumn,
    updatedColumn,
  ],
  list: {
    each: (client, query, options) => client.listProjects.each(query, options),
    filters: [byName, byOwner, byAssignee, choiceFilter('status', statuses, 'only those')],
  },
  get: (client, id, options) => client.getProject({ id }, options),
  create: {
    fields: [
      { key: 'name', flags: '<name>', description: 'name' },
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
      { ...choiceFilter('status', statuses, 'how far it is'), key: 'status' },
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

export const task: ResourceDefinition<Task, never, TaskPatch> = {
  word: 'task',
  one: 'a task',
  id: numberId,
  columns: [
    idColumn,
    createColumn('NAME', ({ name }) => name),
    createColumn('STATUS', ({ status }) => status),
    createColumn('FRAMES', ({ size }) => size, true),
    createColumn('JOBS', ({ jobs }) => `${jobs.completed}/${jobs.count}`, true),
    createColumn('PROJECT', ({ project_name, project_id }) => project_name ?? project_id),
    assigneeColumn,
    updatedColumn,
  ],
  list: {
    each: (client, query, options) => client.listTasks.each(query, options),
    filters: [
      byName,
      byOwner,
      byAssignee,
      parentFilter('project_id'),
      choiceFilter('status', ['new', ...statuses], 'only those'),
      { key: 'subset', flags: '--subset <name>', description: 'only of this subset' },
    ],
  },
  get: (client, id, options) => client.getTask({ id }, options),
  update: {
    fields: [
      newName,
      {
        key: 'project_id',
        flags: '--project <id>',
        description: 'id of the new project',
        kind: 'number',
      },
      { key: 'subset', flags: '--subset <name>', description: 'subset in exports' },
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

export const job: ResourceDefinition<Job, JobCreate, JobPatch> = {
  word: 'job',
  one: 'a job',
  id: numberId,
  columns: [
    idColumn,
    createColumn('TASK', ({ task_id }) => task_id, true),
    createColumn('FRAMES', ({ start_frame, stop_frame }) => `${start_frame}-${stop_frame}`),
    createColumn('TYPE', ({ type }) => type),
    createColumn('STAGE', ({ stage }) => stage),
    createColumn('STATE', ({ state }) => state),
    assigneeColumn,
    updatedColumn,
  ],
  list: {
    each: (client, query, options) => client.listJobs.each(query, options),
    filters: [
      byAssignee,
      parentFilter('task_id'),
      parentFilter('project_id'),
      choiceFilter('stage', stages, 'only those'),
      choiceFilter('state', states, 'only those'),
      choiceFilter('type', jobTypes, 'only those'),
    ],
  },
  get: (client, id, options) => client.getJob({ id }, options),
  create: {
    fields: [
      {
        key: 'task_id',
        flags: '--task <id>',
        description: 'task',
        kind: 'number',
        required: true,
      },
      { ...choiceFilter('type', ['ground_truth'], 'purpose'), key: 'type', required: true },
      {
        key: 'frame_selection_method',
        flags: '--frame-selection <method>',
        description: 'how frames are selected',
        choices: ['random_uniform', 'random_per_job', 'manual'],
        required: true,
      },
      {
        key: 'frame_count',
        flags: '--frame-count <count>',
        description: 'number of frames',
        kind: 'number',
      },
      { key: 'frame_share', flags: '--frame-share <share>', description: '0 to 1', kind: 'number' },
      {
        key: 'frames',
        flags: '--frames <json>',
        description: 'frame numbers, as a JSON list',
        kind: 'json',
      },
      {
        key: 'random_seed',
        flags: '--seed <number>',
        description: 'seed of the random selection',
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
      { ...choiceFilter('stage', stages, 'the stage'), key: 'stage' },
      { ...choiceFilter('state', states, 'the state'), key: 'state' },
    ],
    call: (client, id, body, options) => client.updateJob({ id, body }, options),
    example: 'reticle job update 31 --assignee anna --stage validation',
  },
  remove: (client, id, options) => client.deleteJob({ id }, options),
}

export const label: ResourceDefinition<Label, never, LabelPatch> = {
  word: 'label',
  one: 'a label',
  id: numberId,
  columns: [
    idColumn,
    createColumn('NAME', ({ name }) => name),
    createColumn('TYPE', ({ type }) => type),
    createColumn('COLOR', ({ color }) => color),
    createColumn('ATTRIBUTES', ({ attributes }) => attributes),
  ],
  list: {
    each: (client, query, options) => client.listLabels.each(query, options),
    filters: [parentFilter('project_id'), parentFilter('task_id'), parentFilter('job_id'), byName],
  },
  get: (client, id, options) => client.getLabel({ id }, options),
  update: {
    fields: [
      newName,
      { key: 'color', flags: '--color <color>', description: 'like #2080c0' },
      { key: 'attributes', flags: '--attributes <json>', description: 'as JSON', kind: 'json' },
    ],
    call: (client, id, body, options) => client.updateLabel({ id, body }, options),
    example: "reticle label update 40 --color '#2080c0'",
  },
  remove: (client, id, options) => client.deleteLabel({ id }, options),
}
