import { withKnownFields } from '@reticle/contracts/dialects/cvat/known-fields'
import { invitation, job, project, request, task } from '@reticle/contracts/dialects/cvat/records'
import {
  type Change,
  type Dialect,
  pageAnswer,
  type RecordFields,
  recordAnswer,
  type Translation,
  type Translations,
} from '../../call/dialect.ts'
import { annotations } from './annotations.ts'
import { formatLists, formatWords, renameFormats } from './formats.ts'
import { webhooks } from './webhooks.ts'
import { type Words, withWords } from './words.ts'

const projects: Translations = {
  listProjects: pageAnswer(project),
  createProject: recordAnswer(project),
  getProject: recordAnswer(project),
  updateProject: recordAnswer(project),
}

/** In CVAT a task without jobs has the status annotation. */
const statuses: Words = new Map([['annotation', ['annotation', 'new']]])

const tasks: Translations = {
  listTasks: {
    ...pageAnswer(task),
    input: (input) => withWords(input, 'status', statuses),
  },
  createTask: recordAnswer(task),
  getTask: recordAnswer(task),
  updateTask: recordAnswer(task),
}

/** Adds the number of frames hidden in every job, which is always null. */
const layout: Change = (record) => ({ frames_per_job_count: null, ...record })

const jobs: Translations = {
  listJobs: pageAnswer(job),
  createJob: recordAnswer(job),
  getJob: recordAnswer(job),
  updateJob: recordAnswer(job),
  getTaskValidationLayout: recordAnswer(layout),
  updateTaskValidationLayout: recordAnswer(layout),
}

const invitations: Translations = {
  listInvitations: pageAnswer(invitation),
  createInvitation: recordAnswer(invitation),
  getInvitation: recordAnswer(invitation),
}

/** Removes a leading slash: in CVAT folders start at the bucket, with or without a slash. */
function withoutSlash({ prefix, ...query }: RecordFields): RecordFields {
  if (prefix === undefined) return query
  return { ...query, prefix: typeof prefix === 'string' ? prefix.replace(/^\/+/, '') : prefix }
}

/** The default of `lightweight` is false in CVAT. */
const backUp = { query: (given: object) => ({ lightweight: 'false', ...given }) }

const requests: Translations = {
  listRequests: {
    ...pageAnswer(request),
    input: (input) => withWords(input, 'format', formatWords),
  },
  getRequest: recordAnswer(request),
  streamRequest: recordAnswer(request),
  streamRequests: recordAnswer(request),
  cancelRequest: { input: (input) => ({ ...input, only_exports: true }) },
  importProjectDataset: { input: (input) => ({ ...input, names_default_subset: true }) },
  exportProjectBackup: backUp,
  exportTaskBackup: backUp,
}

/** In CVAT dates of expiry include the time. */
const timed: Translation = { input: (input) => ({ ...input, with_time: true }) }

const token = recordAnswer(withKnownFields('token'))

const tokens: Translations = {
  listAccessTokens: { ...timed, ...pageAnswer(withKnownFields('token')) },
  createAccessToken: { ...timed, ...token },
  getCurrentAccessToken: { ...timed, ...token },
  getAccessToken: { ...timed, ...token },
  updateAccessToken: { ...timed, ...token },
}

/** The CVAT-compatible dialect (docs/spec/dialect.md#mount). */
export const cvat: Dialect = {
  name: 'cvat',
  mediaType: 'application/vnd.cvat+json',
  translations: {
    ...projects,
    ...tasks,
    ...jobs,
    ...invitations,
    ...annotations,
    ...formatLists,
    ...requests,
    ...tokens,
    ...webhooks,
    listCloudStorageContent: { query: withoutSlash },
  },
  listsOnlyOwn: true,
  failure: renameFormats,
}
