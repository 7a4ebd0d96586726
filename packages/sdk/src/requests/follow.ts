import { rows } from '../generated/rows.ts'
import type { Request } from '../generated/schemas.ts'
import { call, respond } from '../http/call.ts'
import { readJson } from '../http/json.ts'
import { patience, sleep } from '../http/retry.ts'
import type { Settings } from '../http/settings.ts'
import { streamed } from './streamed.ts'

/** What a call that starts work in the background answers, or its id alone. */
export type Started = string | { rq_id: string }

export interface FollowOptions {
  /** Told the record at the beginning, at every change and at the end. */
  on_progress?: (request: Request) => void
  /** Ends the waiting, not the work. */
  signal?: AbortSignal
}

/** Work in the background: a promise of how it ended, which can be cancelled. */
export interface Following extends Promise<Request> {
  /** Ends the work. @throws ApiError 400 when it is too late */
  cancel(): Promise<void>
}

/** The work ended, and not well: nothing of it was kept. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  /** The record, with its `message` and its `report`. */
  readonly request: Request

  constructor(request: Request) {
    super(`${request.operation.type} failed: ${request.message} (request ${request.id})`)
    this.request = request
  }
}

/** @throws (as the promise) RequestFailed, what the call that started it threw, ApiError, ConnectionError */
export function follow(
  settings: Settings,
  started: Started | Promise<Started>,
  options: FollowOptions = {},
): Following {
  const id = Promise.resolve(started).then((one) => (typeof one === 'string' ? one : one.rq_id))
  const end = id.then((rq_id) => ended(settings, rq_id, options))
  return Object.assign(end, {
    async cancel() {
      end.catch(() => undefined) // it fails by this, which is no surprise to whoever does not wait for it
      const cancelRequest = { name: 'cancelRequest', row: rows.cancelRequest }
      await call(settings, cancelRequest, { rq_id: await id })
    },
  })
}

async function ended(
  settings: Settings,
  rq_id: string,
  { on_progress, signal }: FollowOptions,
): Promise<Request> {
  for await (const request of watch(settings, rq_id, signal)) {
    on_progress?.(request)
    if (request.status === 'finished') return request
    if (request.status === 'failed') throw new RequestFailed(request)
  }
  throw new Error(`nothing more is heard of ${rq_id}`) // `watch` has no end
}

/** Between a stream that ended too early and the next one: the service is about to go, or to come. */
const pauseMs = 500
/** Seconds that the service holds an answer back, where streams do not get through. */
const waitSeconds = 5

const streamRequest = { name: 'streamRequest', row: rows.streamRequest }

/**
 * The record at each change, for as long as somebody wants to know: by the stream of the service, or by asking again and again
 * where something between holds streams back.
 */
async function* watch(
  settings: Settings,
  rq_id: string,
  signal?: AbortSignal,
): AsyncGenerator<Request, never, undefined> {
  const state = { isSilent: false }
  for (;;) {
    if (!state.isSilent) yield* streamed(settings, streamRequest, { rq_id }, { state, signal })
    yield await asked(settings, rq_id, state.isSilent ? waitSeconds : undefined, signal)
    await sleep(pauseMs, signal)
  }
}

async function asked(
  settings: Settings,
  rq_id: string,
  wait: number | undefined,
  signal?: AbortSignal,
): Promise<Request> {
  const getRequest = { name: 'getRequest', row: rows.getRequest }
  const read = (answer: Response) => readJson<Request>(getRequest.name, answer)
  return respond(settings, getRequest, { rq_id, wait }, { signal, retries: patience }, read)
}
