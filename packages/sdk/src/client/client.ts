import type { SetItem } from '../annotations/items.ts'
import { setItems } from '../annotations/read.ts'
import {
  type Download,
  type DownloadOptions,
  type Source,
  startDownload,
} from '../downloads/download.ts'
import { rows } from '../generated/rows.ts'
import type { Request } from '../generated/schemas.ts'
import { type CallInput, callOperation, callWithReader, type NamedOperation } from '../http/call.ts'
import { eachItem } from '../http/lists.ts'
import type { CallOptions } from '../http/options.ts'
import type { Row } from '../http/row.ts'
import { type ClientOptions, type ClientSettings, settingsOf } from '../http/settings.ts'
import {
  type Following,
  type FollowOptions,
  followRequest,
  type Started,
} from '../requests/follow.ts'
import { type WatchOptions, watchRequests } from '../requests/watch.ts'
import { timedPieces } from '../responses/pieces.ts'
import type { Files } from '../uploads/sources.ts'
import { sendUpload, type UploadOptions } from '../uploads/upload.ts'
import type { Methods } from './generated/methods.ts'

/** Input of an operation: `InputOf<'updateProject'>`. */
export type InputOf<N extends keyof Methods> = NonNullable<Parameters<Methods[N]>[0]>
/** Result of an operation. */
export type AnswerOf<N extends keyof Methods> = Awaited<ReturnType<Methods[N]>>

/** Client with a method for every operation of the service, and functions that need several calls. */
export interface Client extends Methods {
  /**
   * Waits for a background request: `await client.follow(client.exportTaskDataset({ ... }))`. Accepts the result of
   * the call that started it, a promise of that, or its `rq_id`.
   *
   * @throws RequestFailed when it failed
   */
  follow(started: Started | Promise<Started>, options?: FollowOptions): Following
  /**
   * Yields the caller's background requests and each of their changes, until `signal` aborts. It reconnects after a
   * broken connection, and can then yield a record again: `for await (const request of client.watchRequests({ signal
   * }))`.
   */
  watchRequests(options?: WatchOptions): AsyncGenerator<Request, never, undefined>
  /** Downloads the result of a finished request, or another link of the service. */
  download(source: Source, options?: DownloadOptions): Promise<Download>
  /** Returns the HTTP response of an operation with its status, headers (such as the `ETag`) and body. */
  respond<N extends keyof Methods>(
    name: N,
    input?: InputOf<N>,
    options?: CallOptions,
  ): Promise<Response>
}

/** Creates a client. @throws TypeError for contradicting options */
export function createClient(options: ClientOptions): Client
export function createClient(options: ClientOptions): object {
  const settings = settingsOf(options)
  const methods = Object.entries<Row>(rows).map(([name, row]) => [
    name,
    methodOf(settings, { name, row }),
  ])
  const more: Omit<Client, keyof Methods> = {
    follow: (started, followOptions) => followRequest(settings, started, followOptions),
    watchRequests: (watchOptions) => watchRequests(settings, watchOptions),
    download: (source, downloadOptions) => startDownload(settings, source, downloadOptions),
    respond: (name, input, callOptions) =>
      callWithReader(
        settings,
        { name, row: rows[name] },
        input,
        callOptions,
        async (answer) => answer,
      ),
  }
  return { ...Object.fromEntries(methods), ...more }
}

/** Builds the method of an operation with the functions of its kind. */
function methodOf(settings: ClientSettings, named: NamedOperation): object {
  type Given = [input?: CallInput, options?: CallOptions]
  const { answer, in_pieces } = named.row
  return Object.assign((...given: Given) => callOperation(settings, named, ...given), {
    ...(answer === 'page' && {
      each: (...given: Given) => eachItem(settings, named, ...given),
    }),
    ...(answer === 'set' && {
      items: (...given: Given) => readItems(settings, named, ...given),
    }),
    ...(in_pieces && {
      send: (input: CallInput, files: Files, options?: UploadOptions) =>
        sendUpload(settings, named, input, { files, options }),
    }),
  })
}

/** Same as the limit of `fetch` in Node: the service may compute for a while between two pieces. */
const silenceMs = 300_000

async function* readItems(
  settings: ClientSettings,
  named: NamedOperation,
  input?: CallInput,
  options?: CallOptions,
): AsyncGenerator<SetItem, void, undefined> {
  const answer = await callWithReader(settings, named, input, options, async (given) => given)
  yield* setItems(named.name, timedPieces(answer, { silenceMs, signal: options?.signal }))
}
