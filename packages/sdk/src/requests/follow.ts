import { rows } from '../generated/rows.ts'
import type { Request } from '../generated/schemas.ts'
import { callOperation, callWithReader } from '../http/call.ts'
import { patience, pauseFor } from '../http/retry.ts'
import type { ClientSettings } from '../http/settings.ts'
import { readJson } from '../responses/json.ts'
import { readRequestStream } from './streamed.ts'

/** Result of a call that starts a background request, or the id of the request. */
export type Started = string | { rq_id: string }

export interface FollowOptions {
  /** Called with the record at the start, at every change and at the end. */
  on_progress?: (request: Request) => void
  /** Ends the waiting, not the request. */
  signal?: AbortSignal
}

/** Promise of the finished request, which can be cancelled. */
export interface Following extends Promise<Request> {
  /** Cancels the request. @throws ApiError 400 when it has ended */
  cancel(): Promise<void>
}

/** Error of a failed request. Its partial results are discarded. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  /** Record of the request, with its `message` and `report`. */
  readonly request: Request

  constructor(request: Request) {
    super(`${request.operation.type} failed: ${request.message} (request ${request.id})`)
    this.request = request
  }
}

/**
 * Follows a request until it ends.
 *
 * @throws (as the promise) RequestFailed, errors of the call that started it, ApiError, ConnectionError
 */
export function followRequest(
  settings: ClientSettings,
  started: Started | Promise<Started>,
  options: FollowOptions = {},
): Following {
  const id = Promise.resolve(started).then((one) => (typeof one === 'string' ? one : one.rq_id))
  const end = id.then((rq_id) => ended(settings, rq_id, options))
  return Object.assign(end, {
    async cancel() {
      end.catch(() => undefined) // the cancellation makes the promise fail; that must not be an unhandled rejection
      const cancelRequest = { name: 'cancelRequest', row: rows.cancelRequest }
      await callOperation(settings, cancelRequest, { rq_id: await id })
    },
  })
}

async function ended(
  settings: ClientSettings,
  rq_id: string,
  { on_progress, signal }: FollowOptions,
): Promise<Request> {
  for await (const request of watch(settings, rq_id, signal)) {
    on_progress?.(request)
    if (request.status === 'finished') return request
    if (request.status === 'failed') throw new RequestFailed(request)
  }
  throw new Error(`nothing more is heard of ${rq_id}`) // `watch` does not end
}

/** Milliseconds between a stream that ended early and the next one, for example during a restart of the service. */
const pauseMs = 500
/** Seconds that the service may delay a response (long polling) when streams do not work. */
const waitSeconds = 5

const streamRequest = { name: 'streamRequest', row: rows.streamRequest }

/**
 * Yields the record at each change until the consumer stops: from the event stream, or by polling when a proxy
 * buffers streams.
 */
async function* watch(
  settings: ClientSettings,
  rq_id: string,
  signal?: AbortSignal,
): AsyncGenerator<Request, never, undefined> {
  const state = { isSilent: false }
  for (;;) {
    if (!state.isSilent)
      yield* readRequestStream(settings, streamRequest, { rq_id }, { state, signal })
    yield await asked(settings, rq_id, state.isSilent ? waitSeconds : undefined, signal)
    await pauseFor(pauseMs, signal)
  }
}

async function asked(
  settings: ClientSettings,
  rq_id: string,
  wait: number | undefined,
  signal?: AbortSignal,
): Promise<Request> {
  const getRequest = { name: 'getRequest', row: rows.getRequest }
  const read = (answer: Response) => readJson<Request>(getRequest.name, answer)
  return callWithReader(settings, getRequest, { rq_id, wait }, { signal, retries: patience }, read)
}
