import type { Facts } from '@reticle/contracts/rest/facts'
import { jobRecord, projectRecord, taskRecord } from '@reticle/contracts/testing/records'
import { forbidden, notFound } from '@reticle/kit'
import { bytesOf } from '@reticle/kit/testing/bytes'
import type { OperationServices } from '../operations/operation.ts'

/** Permission of one user for one object, in the service of a test. */
export interface TestGrant {
  target: Facts['target']
  id: number
  user_id: number
  facts: Facts
}

const missing = async () => {
  throw notFound('this service is not part of the test')
}

const noTasks: OperationServices['tasks'] = {
  authorize: missing,
  listTasks: missing,
  getTask: async ({ id }) => taskRecord({ id }),
  openDraft: missing,
  addDraftTask: missing,
  publishDraft: missing,
  dropDraft: missing,
  describeBackup: missing,
  restoreTask: missing,
}
const noGuides = {
  getAssetFile: missing,
  createGuide: missing,
  updateGuide: missing,
  openAssetUpload: missing,
  storeAsset: missing,
}

/** Creates a service with these permissions: an object of another user is forbidden, an unknown one is not found. */
export function authorityOf(grants: readonly TestGrant[]): OperationServices['tasks'] {
  return {
    ...noTasks,
    authorize: async ({ target, id }, { principal }) => {
      const known = grants.filter((one) => one.target === target && one.id === id)
      if (known.length === 0) throw notFound()
      const own = known.find((one) => one.user_id === principal?.user_id)
      if (!own) throw forbidden()
      return own.facts
    },
  }
}

/** Returns texts as the bytes of an answer. */
export function bytesAnswer(texts: readonly string[]) {
  return { head: {}, chunks: bytesOf(...texts) }
}

export const jsonLinesOf = (values: readonly unknown[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`)

/** Facts of media with all its frames. */
const wholeMedia = { start_frame: 0, stop_frame: 0, frame_filter: '', video_name: null }

/** Creates services of which only the given ones answer, and those that describe objects. */
export function servicesOf(overrides: {
  tasks?: Partial<OperationServices['tasks']>
  projects?: OperationServices['projects']
  jobs?: Partial<OperationServices['jobs']>
  guides?: Partial<OperationServices['guides']>
  labels?: OperationServices['labels']
  media?: Partial<OperationServices['media']>
  storages?: Partial<OperationServices['storages']>
  annotations?: Partial<OperationServices['annotations']>
  events?: OperationServices['events']
}): OperationServices {
  return {
    tasks: { ...noTasks, ...overrides.tasks },
    projects: overrides.projects ?? { getProject: async ({ id }) => projectRecord({ id }) },
    jobs: { listJobs: missing, getJob: async ({ id }) => jobRecord({ id }), ...overrides.jobs },
    guides: { ...noGuides, ...overrides.guides },
    labels: overrides.labels ?? { getLabelSet: missing },
    media: {
      attachMedia: missing,
      readFrames: missing,
      locateChunk: missing,
      getDeletedFrames: async () => ({ frames: [] }),
      getMediaFacts: async () => wholeMedia,
      ...overrides.media,
    },
    storages: {
      listSourceFiles: missing,
      readSourceFile: missing,
      readStorageFile: missing,
      writeStorageFile: missing,
      ...overrides.storages,
    },
    annotations: { readRows: missing, writeRows: missing, ...overrides.annotations },
    events: overrides.events ?? { readEvents: missing },
  }
}

/** Event log service for tests that do not call it. */
export const noEvents = { permitEventExport: missing }

/** Organization service for tests that do not call it. */
export const noOrganizations = { findWorkspace: missing }

/** Cloud storage service for tests that do not call it. */
export const noStorages = {
  permitSource: missing,
  getCloudStorage: missing,
  findDefaultStorages: async () => ({ source_storage: null, target_storage: null }),
}

/** All of these services. */
export const noOthers = {
  events: noEvents,
  organizations: noOrganizations,
  storages: noStorages,
}
