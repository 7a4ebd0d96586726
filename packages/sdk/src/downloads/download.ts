import { patience, pauseBefore, pauseFor } from '../http/retry.ts'
import { sendRequest } from '../http/send.ts'
import { type ClientSettings, isBrowser, pathOf } from '../http/settings.ts'
import { ApiError, ConnectionError } from '../responses/errors.ts'
import { timedPieces } from '../responses/pieces.ts'

/** Link of the API, or a finished request with a result. */
export type Source = string | { id: string; result_url: string | null }

export interface DownloadOptions {
  signal?: AbortSignal
  /** Called with the downloaded and the total bytes; the total is null when unknown. */
  on_progress?: (done: number, total: number | null) => void
  /** Resumes a partial download. If the file has changed, it restarts at offset 0. */
  from?: { offset: number; etag: string }
  /** Number of attempts without a byte of progress; default 12, which is about a minute. */
  retries?: number
}

/** Download of a file. Its content can be read once, by iteration or by one of the methods. */
export interface Download extends AsyncIterable<Uint8Array> {
  filename: string | null
  /** Size of the whole file in bytes. */
  size: number | null
  type: string
  etag: string | null
  /** Offset of the first byte: 0, except for a resumed download. */
  offset: number
  stream(): ReadableStream<Uint8Array>
  blob(): Promise<Blob>
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  /** Ends the download. */
  cancel(): Promise<void>
}

/**
 * Starts a download. After a failure it resumes while the file is unchanged; the number of bytes is checked against
 * the announced size.
 *
 * @throws ApiError, ConnectionError, TypeError for a request without a result
 */
export async function startDownload(
  settings: ClientSettings,
  source: Source,
  options: DownloadOptions = {},
): Promise<Download> {
  const path = pathOf(linkOf(source))
  const answer = await open(settings, path, options, options.from)
  const file = factsOf(answer)
  const pieces = () => whole({ settings, path, options, file }, answer)
  const stream = () => streamOf(pieces())
  return {
    ...file,
    stream,
    [Symbol.asyncIterator]: pieces,
    blob: () => new Response(stream(), { headers: { 'content-type': file.type } }).blob(),
    bytes: async () => new Uint8Array(await new Response(stream()).arrayBuffer()),
    cancel: async () => answer.body?.cancel(),
  }
}

function linkOf(source: Source): string {
  if (typeof source === 'string') return source
  if (source.result_url === null)
    throw new TypeError(
      `Request ${source.id} has no file: it has not finished, or put it elsewhere.`,
    )
  return source.result_url
}

interface Facts {
  filename: string | null
  size: number | null
  type: string
  etag: string | null
  offset: number
}

const operation = 'download'

function open(
  settings: ClientSettings,
  path: string,
  { signal, retries = patience }: DownloadOptions,
  from?: { offset: number; etag: string },
): Promise<Response> {
  const range = from && from.offset > 0
  const sent = {
    operation,
    method: 'GET',
    headers: {
      accept: '*/*',
      ...(!isBrowser && { 'accept-encoding': 'identity' }),
      ...(range && { range: `bytes=${from.offset}-`, 'if-range': from.etag }),
    },
    isRepeatable: true,
    path,
    signal,
    retries,
  }
  return sendRequest(settings, sent, async (answer) => answer)
}

function factsOf({ status, headers }: Response): Facts {
  const isCoded = headers.has('content-encoding') // the decoded size is then unknown
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  const length = headers.get('content-length')
  const isPart = status === 206 && start !== undefined
  const size = isPart ? Number(total) : length === null ? null : Number(length)
  const etag = headers.get('etag')
  return {
    filename: filenameOf(headers.get('content-disposition') ?? ''),
    size: isCoded ? null : size,
    type: headers.get('content-type') ?? 'application/octet-stream',
    etag: etag === null || isCoded || etag.startsWith('W/') ? null : etag,
    offset: isPart ? Number(start) : 0,
  }
}

/** Parses the name; `filename*` (RFC 8187) has priority over `filename` (RFC 6266 4.3). */
function filenameOf(disposition: string): string | null {
  const [, coded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition) ?? []
  if (coded) return decodeURIComponent(coded)
  const [, quoted] = /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition) ?? []
  return quoted === undefined ? null : quoted.replace(/\\(.)/g, '$1')
}

interface Fetching {
  settings: ClientSettings
  path: string
  options: DownloadOptions
  file: Facts
}

/** Milliseconds without data after which a connection counts as broken. */
const silenceMs = 60_000

async function* whole(fetching: Fetching, first: Response): AsyncGenerator<Uint8Array> {
  const { options, file } = fetching
  let answer: Response | undefined = first
  let at = file.offset
  for (let failures = 0; ; failures++) {
    try {
      const patience = { silenceMs, signal: options.signal }
      for await (const piece of timedPieces(answer ?? (await resumed(fetching, at)), patience)) {
        at += piece.length
        failures = 0
        options.on_progress?.(at, file.size)
        yield piece
      }
      if (file.size === null || at === file.size) return
      throw new Error('its end is missing')
    } catch (thrown) {
      assertBroken(thrown, fetching, { at, failures })
    }
    answer = undefined
    await pauseFor(pauseBefore(failures), options.signal)
  }
}

/** @throws any error except a broken connection; also for too many failures, and for a file that cannot be resumed */
function assertBroken(
  thrown: unknown,
  { options, file }: Fetching,
  { at, failures }: { at: number; failures: number },
): void {
  options.signal?.throwIfAborted()
  if (thrown instanceof ApiError || thrown instanceof Changed) throw thrown
  if (file.etag === null || failures >= (options.retries ?? patience))
    throw new ConnectionError(operation, `the file broke off at byte ${at}`, thrown)
}

/** Error of a file that changed during its download. */
export class Changed extends Error {
  override readonly name = 'Changed'
}

async function resumed({ settings, path, options, file }: Fetching, offset: number) {
  const etag = file.etag ?? ''
  const answer = await open(settings, path, options, { offset, etag })
  if (offset === 0 ? factsOf(answer).etag === etag : factsOf(answer).offset === offset)
    return answer
  await answer.body?.cancel()
  throw new Changed('The file was replaced by another while it was downloaded: begin again.')
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
}
