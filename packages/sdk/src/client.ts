import type { SetItem } from './annotations/items.ts'
import { setItems } from './annotations/read.ts'
import { type Download, type DownloadOptions, download, type Source } from './downloads/download.ts'
import type { Methods } from './generated/methods.ts'
import { rows } from './generated/rows.ts'
import type { Request } from './generated/schemas.ts'
import { call, type Input, type Named, respond } from './http/call.ts'
import { eachItem } from './http/lists.ts'
import type { CallOptions } from './http/options.ts'
import { timedPieces } from './http/pieces.ts'
import type { Row } from './http/row.ts'
import { type ClientOptions, type Settings, settingsOf } from './http/settings.ts'
import { type Following, type FollowOptions, follow, type Started } from './requests/follow.ts'
import { type WatchOptions, watchRequests } from './requests/watch.ts'
import type { Files } from './uploads/sources.ts'
import { type UploadOptions, upload } from './uploads/upload.ts'

/** The input of an operation: `InputOf<'updateProject'>`. */
export type InputOf<N extends keyof Methods> = NonNullable<Parameters<Methods[N]>[0]>
/** What an operation answers. */
export type AnswerOf<N extends keyof Methods> = Awaited<ReturnType<Methods[N]>>

/** Every operation of the service under its name, and what takes more than one call. */
export interface Client extends Methods {
  /**
   * Waits for work in the background: `await client.follow(client.exportTaskDataset({ ... }))`. Takes what started it, a promise
   * of that, or its `rq_id`.
   *
   * @throws RequestFailed when it failed
   */
  follow(started: Started | Promise<Started>, options?: FollowOptions): Following
  /**
   * Own work in the background as it is and at each change, until `signal` ends the watching; through breaks, after which a
   * record may come twice: `for await (const request of client.watchRequests({ signal }))`.
   */
  watchRequests(options?: WatchOptions): AsyncGenerator<Request, never, undefined>
  /** Fetches the result of a finished request, or what another link of the service leads to. */
  download(source: Source, options?: DownloadOptions): Promise<Download>
  /** The answer of an operation as it came: its status, its headers (an `ETag`, say), its body. */
  respond<N extends keyof Methods>(
    name: N,
    input?: InputOf<N>,
    options?: CallOptions,
  ): Promise<Response>
}

/** @throws TypeError for options that make no sense */
export function createClient(options: ClientOptions): Client
export function createClient(options: ClientOptions): object {
  const settings = settingsOf(options)
  const methods = Object.entries<Row>(rows).map(([name, row]) => [
    name,
    methodOf(settings, { name, row }),
  ])
  const more: Omit<Client, keyof Methods> = {
    follow: (started, followOptions) => follow(settings, started, followOptions),
    watchRequests: (watchOptions) => watchRequests(settings, watchOptions),
    download: (source, downloadOptions) => download(settings, source, downloadOptions),
    respond: (name, input, callOptions) =>
      respond(settings, { name, row: rows[name] }, input, callOptions, async (answer) => answer),
  }
  return { ...Object.fromEntries(methods), ...more }
}

/** A call, and what its kind can more. */
function methodOf(settings: Settings, named: Named): object {
  type Given = [input?: Input, options?: CallOptions]
  const { answer, in_pieces } = named.row
  return Object.assign((...given: Given) => call(settings, named, ...given), {
    ...(answer === 'page' && {
      each: (...given: Given) => eachItem(settings, named, ...given),
    }),
    ...(answer === 'set' && {
      items: (...given: Given) => readItems(settings, named, ...given),
    }),
    ...(in_pieces && {
      send: (input: Input, files: Files, options?: UploadOptions) =>
        upload(settings, named, input, { files, options }),
    }),
  })
}

/** As long as `fetch` of Node waits: the server may work for a while between two pieces. */
const silenceMs = 300_000

async function* readItems(
  settings: Settings,
  named: Named,
  input?: Input,
  options?: CallOptions,
): AsyncGenerator<SetItem, void, undefined> {
  const answer = await respond(settings, named, input, options, async (given) => given)
  yield* setItems(named.name, timedPieces(answer, { silenceMs, signal: options?.signal }))
}
