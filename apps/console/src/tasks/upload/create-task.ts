import {
  ApiError,
  type FileSource,
  type Following,
  type Request,
  type Started,
  type TaskCreate,
  type UploadStore,
} from '@reticle/sdk'
import { api } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { clearUploadStore, createUploadStore } from '../../api/upload-store.ts'
import type { MediaOptions } from './media-options.tsx'

/** Callbacks of the progress. */
export interface UploadCallbacks {
  onCreated: (taskId: number) => void
  onPhase: (phase: UploadPhase) => void
  /** Called when the upload is complete; from then on only the service can stop the request. */
  onFollowing: (following: Following) => void
  signal: AbortSignal
}

interface TaskDestination {
  taskId: number | undefined
  organization: string | undefined
}

/**
 * Creates a task if necessary, uploads its files and waits until its frames are ready.
 *
 * @returns the id of the task
 * @throws ApiError, ConnectionError, RequestFailed, TypeError
 */
export async function createTaskWithFiles(
  upload: TaskUpload,
  destination: TaskDestination,
  callbacks: UploadCallbacks,
): Promise<number> {
  callbacks.onPhase({ name: 'creating' })
  const id = destination.taskId ?? (await createTask(upload, destination))
  callbacks.onCreated(id)
  const started = await sendFiles(id, upload, callbacks).catch(runningRequestOf)
  callbacks.onPhase({ name: 'preparing' })
  const following = api.follow(started, {
    on_progress: (request) => callbacks.onPhase({ name: 'preparing', request }),
    signal: callbacks.signal,
  })
  callbacks.onFollowing(following)
  await following
  await queries.invalidateQueries()
  return id
}

async function createTask(
  { task }: TaskUpload,
  { organization }: TaskDestination,
): Promise<number> {
  if (!task) throw new TypeError('A task id or the properties of a new task are required.')
  const options = task.project_id ? {} : { organization } // a task belongs to the workspace of its project
  const { id } = await api.createTask({ body: task }, options)
  return id
}

/** Minimum interval of progress updates in milliseconds, since files may be many and small. */
const pauseMs = 200

function sendFiles(
  id: number,
  { media, sources }: TaskUpload,
  { onPhase, signal }: UploadCallbacks,
) {
  const began = performance.now()
  let reportedAt = Number.NEGATIVE_INFINITY
  return api.uploadTaskData.send({ id, body: media }, sources, {
    store: uploadStoreOf(id),
    signal,
    on_progress: (done, total) => {
      const now = performance.now()
      if (now - reportedAt < pauseMs && done < total) return
      reportedAt = now
      onPhase({ name: 'sending', done, total, tookMs: now - began })
    },
  })
}

/** The files were already uploaded and the request is running. */
function runningRequestOf(thrown: unknown): Started {
  if (thrown instanceof ApiError && thrown.rq_id) return thrown.rq_id
  throw thrown
}

/** Phase of the creation of a task. */
export type UploadPhase =
  | { name: 'idle' | 'creating' | 'cancelled' }
  | { name: 'sending'; done: number; total: number; tookMs: number }
  | { name: 'preparing'; request?: Request }
  | { name: 'failed'; error: Error }

export interface TaskUpload {
  /** Task to create; undefined for an existing task. */
  task?: TaskCreate
  media: MediaOptions
  sources: readonly FileSource[]
}

const keyPrefixOf = (taskId: number) => `reticle.upload.${taskId} `

const uploadStoreOf = (taskId: number): UploadStore => createUploadStore(keyPrefixOf(taskId))

/** Deletes the upload progress of a task that was deleted or starts again. */
export const clearUploadsOf = (taskId: number): void => clearUploadStore(keyPrefixOf(taskId))
