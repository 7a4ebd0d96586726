import { rows } from '../generated/rows.ts'
import type { Request } from '../generated/schemas.ts'
import { callWithReader } from '../http/call.ts'
import type { Page } from '../http/lists.ts'
import { patience, pauseFor } from '../http/retry.ts'
import type { ClientSettings } from '../http/settings.ts'
import { readJson } from '../responses/json.ts'
import { readRequestStream } from './streamed.ts'

export interface WatchOptions {
  /** Ends the watching, not the requests. */
  signal?: AbortSignal
}

/** Milliseconds between a stream that ended and the next one. */
const pauseMs = 500
/** Milliseconds between two polls when streams do not work. */
const restMs = 5000

const streamRequests = { name: 'streamRequests', row: rows.streamRequests }
const listRequests = { name: 'listRequests', row: rows.listRequests }

/**
 * Yields the caller's running requests and each of their changes, until the consumer stops. A broken stream is opened
 * again and starts with the current state, so a record can repeat. When a proxy buffers streams it polls.
 *
 * @throws ApiError, ConnectionError, the reason of the signal
 */
export async function* watchRequests(
  settings: ClientSettings,
  { signal }: WatchOptions = {},
): AsyncGenerator<Request, never, undefined> {
  const state = { isSilent: false }
  for (;;) {
    if (state.isSilent) yield* await newest(settings, signal)
    else yield* readRequestStream(settings, streamRequests, {}, { state, signal })
    await pauseFor(state.isSilent ? restMs : pauseMs, signal)
  }
}

/** Returns the newest requests, one page, which includes the running ones. */
async function newest(settings: ClientSettings, signal?: AbortSignal): Promise<Request[]> {
  const input = { page_size: 100, sort: '-created_date' }
  const read = (answer: Response) => readJson<Page<Request>>(listRequests.name, answer)
  const { results } = await callWithReader(
    settings,
    listRequests,
    input,
    { signal, retries: patience },
    read,
  )
  return results
}
