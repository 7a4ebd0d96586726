import { rows } from '../generated/rows.ts'
import type { Request } from '../generated/schemas.ts'
import { respond } from '../http/call.ts'
import { readJson } from '../http/json.ts'
import type { Page } from '../http/methods.ts'
import { patience, sleep } from '../http/retry.ts'
import type { Settings } from '../http/settings.ts'
import { streamed } from './streamed.ts'

export interface WatchOptions {
  /** Ends the watching, not the work. */
  signal?: AbortSignal
}

/** Between a stream that ended and the next one. */
const pauseMs = 500
/** Between two looks, where streams do not get through. */
const restMs = 5000

const streamRequests = { name: 'streamRequests', row: rows.streamRequests }
const listRequests = { name: 'listRequests', row: rows.listRequests }

/**
 * Own requests that are under way, as they are and at each change, for as long as somebody wants to know. A broken stream is
 * opened anew and begins with what is, so a record may come twice. Where something between holds streams back it looks by itself.
 *
 * @throws ApiError, ConnectionError, the reason of the signal
 */
export async function* watchRequests(
  settings: Settings,
  { signal }: WatchOptions = {},
): AsyncGenerator<Request, never, undefined> {
  const state = { isSilent: false }
  for (;;) {
    if (state.isSilent) yield* await newest(settings, signal)
    else yield* streamed(settings, streamRequests, {}, { state, signal })
    await sleep(state.isSilent ? restMs : pauseMs, signal)
  }
}

/** As many as one page holds: what is under way is among them. */
async function newest(settings: Settings, signal?: AbortSignal): Promise<Request[]> {
  const input = { page_size: 100, sort: '-created_date' }
  const read = (answer: Response) => readJson<Page<Request>>(listRequests.name, answer)
  const { results } = await respond(
    settings,
    listRequests,
    input,
    { signal, retries: patience },
    read,
  )
  return results
}
