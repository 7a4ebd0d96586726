import { ApiError, type Following, type Started } from '@reticle/sdk'
import { api } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { notesOf } from './notes.ts'
import type { Phase, Wish } from './phase.ts'

/** Callbacks of the progress. */
export interface Begun {
  onCreated: (taskId: number) => void
  onPhase: (phase: Phase) => void
  /** Called when the upload is complete; from then on only the service can stop the request. */
  onFollowing: (following: Following) => void
  signal: AbortSignal
}

interface Place {
  taskId: number | undefined
  organization: string | undefined
}

/**
 * Creates a task if necessary, uploads its files and waits until its frames are ready.
 *
 * @returns the id of the task
 * @throws ApiError, ConnectionError, RequestFailed, TypeError
 */
export async function makeTask(wish: Wish, place: Place, begun: Begun): Promise<number> {
  begun.onPhase({ name: 'creating' })
  const id = place.taskId ?? (await create(wish, place))
  begun.onCreated(id)
  const started = await sendFiles(id, wish, begun).catch(underWay)
  begun.onPhase({ name: 'preparing' })
  const following = api.follow(started, {
    on_progress: (request) => begun.onPhase({ name: 'preparing', request }),
    signal: begun.signal,
  })
  begun.onFollowing(following)
  await following
  await queries.invalidateQueries()
  return id
}

async function create({ task }: Wish, { organization }: Place): Promise<number> {
  if (!task) throw new TypeError('There is neither a task nor what it is to be.')
  const options = task.project_id ? {} : { organization } // a task belongs to the workspace of its project
  const { id } = await api.createTask({ body: task }, options)
  return id
}

/** Minimum interval of progress updates in milliseconds, since files may be many and small. */
const pauseMs = 200

function sendFiles(id: number, { media, sources }: Wish, { onPhase, signal }: Begun) {
  const began = performance.now()
  let told = Number.NEGATIVE_INFINITY
  return api.uploadTaskData.send({ id, body: media }, sources, {
    store: notesOf(id),
    signal,
    on_progress: (done, total) => {
      const now = performance.now()
      if (now - told < pauseMs && done < total) return
      told = now
      onPhase({ name: 'sending', done, total, tookMs: now - began })
    },
  })
}

/** The files were already uploaded and the request is running. */
function underWay(thrown: unknown): Started {
  if (thrown instanceof ApiError && thrown.rq_id) return thrown.rq_id
  throw thrown
}
