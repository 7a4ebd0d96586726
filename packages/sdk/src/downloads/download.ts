import { ApiError, ConnectionError } from '../http/errors.ts'
import { timedPieces } from '../http/pieces.ts'
import { patience, pauseBefore, sleep } from '../http/retry.ts'
import { send } from '../http/send.ts'
import { isBrowser, pathOf, type Settings } from '../http/settings.ts'

/** A link of the API, or a finished request with one. */
export type Source = string | { id: string; result_url: string | null }

export interface DownloadOptions {
  signal?: AbortSignal
  /** Bytes that have come, of how many; null where nobody says. */
  on_progress?: (done: number, total: number | null) => void
  /** Go on with a file that was fetched in part: what is not the same file any more begins anew, at offset 0. */
  from?: { offset: number; etag: string }
  /** How often it is tried again without a byte having come; 12, which is about a minute. */
  retries?: number
}

/** A file on its way: to be read once, by iterating over it or by one of the other ways. */
export interface Download extends AsyncIterable<Uint8Array> {
  filename: string | null
  /** Bytes of the whole file. */
  size: number | null
  type: string
  etag: string | null
  /** Of the first byte that comes: 0, but where a file is gone on with. */
  offset: number
  stream(): ReadableStream<Uint8Array>
  blob(): Promise<Blob>
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  /** Nothing more is wanted. */
  cancel(): Promise<void>
}

/**
 * Begins to fetch a file. After a break it goes on where it was, as long as it is the same file; what came is counted against
 * what was announced.
 *
 * @throws ApiError, ConnectionError, TypeError for a request without a result
 */
export async function download(
  settings: Settings,
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
  settings: Settings,
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
    ...{ path, signal, retries },
  }
  return send(settings, sent, async (answer) => answer)
}

function factsOf({ status, headers }: Response): Facts {
  const isCoded = headers.has('content-encoding') // then nobody knows how many bytes come out of it
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

/** `filename*` (RFC 8187) before `filename` (RFC 6266 4.3). */
function filenameOf(disposition: string): string | null {
  const [, coded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition) ?? []
  if (coded) return decodeURIComponent(coded)
  const [, quoted] = /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition) ?? []
  return quoted === undefined ? null : quoted.replace(/\\(.)/g, '$1')
}

interface Fetching {
  settings: Settings
  path: string
  options: DownloadOptions
  file: Facts
}

/** A connection that has carried nothing for so long is broken. */
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
    await sleep(pauseBefore(failures), options.signal)
  }
}

/** @throws what is no broken connection, or one too many of them, or of a file that cannot be gone on with */
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

/** The file is another one than it was when its download began. */
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
