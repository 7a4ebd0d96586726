import { pauseBefore, pauseFor } from '../http/retry.ts'
import { sendRequest } from '../http/send.ts'
import { type ClientSettings, pathOf, toBase64 } from '../http/settings.ts'
import { ApiError, ConnectionError, refusalOf, UnexpectedAnswer } from '../responses/errors.ts'
import { partBytes } from './parts.ts'
import type { FileSource } from './sources.ts'

/** Resumable uploads of files in chunks (tus.io 1.0.0, `docs/spec/requests.md#uploads`). */

const tus = { 'tus-resumable': '1.0.0' }

/** Target of an upload. */
export interface UploadCollection {
  settings: ClientSettings
  /** Operation name for error messages. */
  operation: string
  /** Path of the collection below the root of the API, without a trailing slash. */
  path: string
  signal?: AbortSignal
  retries: number
}

/** Started upload of a file: its path below the root of the API, and its name in the finished upload. */
export interface StartedUpload {
  path: string
  filename: string
  offset: number
}

/** Registers a file. @throws ApiError 409 when the upload has a file of that name */
export function beginFile(
  { settings, operation, path, signal, retries }: UploadCollection,
  { name, size }: FileSource,
  idempotency_key: string,
): Promise<StartedUpload> {
  const filename = toBase64(new TextEncoder().encode(name))
  const sent = {
    operation,
    method: 'POST',
    path: `${path}/`,
    isRepeatable: true,
    signal,
    retries,
    headers: {
      ...tus,
      'upload-length': String(size),
      'upload-metadata': `filename ${filename}`,
      'idempotency-key': idempotency_key,
    },
  }
  return sendRequest(settings, sent, async ({ headers }) => {
    const location = headers.get('location')
    if (!location) throw new UnexpectedAnswer(operation, 'a new file without an address')
    const called = headers.get('upload-filename') ?? name
    return { path: pathOf(location), filename: called, offset: offsetOf(headers) ?? 0 }
  })
}

/** Returns the number of stored bytes; undefined for a file that is missing or complete. */
export async function findStoredBytes(
  target: UploadCollection,
  path: string,
): Promise<number | undefined> {
  const { settings, operation, signal, retries } = target
  const sent = { operation, method: 'GET', path, headers: tus, isRepeatable: true, signal, retries }
  try {
    return await sendRequest(settings, sent, async ({ headers }) => offsetOf(headers))
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return undefined
    throw thrown
  }
}

/**
 * Sends a file from its current offset to its end. After a failure it queries the stored offset.
 *
 * @param onOffset called with the number of stored bytes
 */
export async function sendPieces(
  target: UploadCollection,
  source: FileSource,
  begun: Pick<StartedUpload, 'path' | 'offset'>,
  onOffset: (offset: number) => void,
): Promise<void> {
  let { offset } = begun
  onOffset(offset)
  for (let failures = 0; offset < source.size; ) {
    const end = Math.min(offset + partBytes, source.size)
    const piece = { path: begun.path, offset, end, isLast: end === source.size }
    const stored = await sendPiece(target, source, piece).catch((thrown: unknown) =>
      afterBreak(target, thrown, piece),
    )
    failures = stored > offset ? 0 : failures + 1
    if (failures > target.retries)
      throw new ConnectionError(
        target.operation,
        `${source.name} does not get beyond byte ${offset}`,
      )
    if (failures > 0) await pauseFor(pauseBefore(failures), target.signal)
    offset = stored
    onOffset(offset)
  }
}

interface Piece {
  path: string
  offset: number
  end: number
  isLast: boolean
}

/** @returns the stored offset, which differs from the sent one when the service has another number of bytes */
async function sendPiece(
  { settings, operation, signal }: UploadCollection,
  source: FileSource,
  { path, offset, end }: Piece,
): Promise<number> {
  const body = await source.read(offset, end)
  const sent = {
    operation,
    method: 'PATCH',
    path,
    signal,
    isRepeatable: false,
    retries: 0,
    headers: {
      ...tus,
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
    },
    body: () => body,
    accepts: [409],
  }
  return sendRequest(settings, sent, async (answer) => {
    const at = offsetOf(answer.headers)
    if (at !== undefined) return at
    throw answer.ok
      ? new UnexpectedAnswer(operation, 'a piece of a file without its place')
      : await refusalOf(operation, answer)
  })
}

/** @throws any error except a broken connection */
async function afterBreak(
  target: UploadCollection,
  thrown: unknown,
  { path, isLast, end }: Piece,
): Promise<number> {
  target.signal?.throwIfAborted()
  const isRefused = thrown instanceof ApiError && thrown.status < 500 && thrown.status !== 429
  if (isRefused || !(thrown instanceof ApiError || thrown instanceof ConnectionError)) throw thrown
  const offset = await findStoredBytes(target, path)
  if (offset !== undefined) return offset
  if (isLast) return end // the query finds no complete files
  throw thrown
}

function offsetOf(headers: Headers): number | undefined {
  const offset = headers.get('upload-offset')
  return offset === null ? undefined : Number(offset)
}
