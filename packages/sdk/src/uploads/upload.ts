import { formOf } from '../http/body.ts'
import { type CallInput, callOperation, callWithReader, type NamedOperation } from '../http/call.ts'
import { randomId } from '../http/random.ts'
import { patience } from '../http/retry.ts'
import type { ClientSettings } from '../http/settings.ts'
import { ApiError } from '../responses/errors.ts'
import { fitsOneForm, partsOf, sizeOf, type UploadUnit } from './parts.ts'
import {
  beginFile,
  findStoredBytes,
  type StartedUpload,
  sendPieces,
  type UploadCollection,
} from './pieces.ts'
import { type FileSource, type Files, sourcesOf } from './sources.ts'
import {
  memoryStore,
  type PartState,
  type SessionState,
  type States,
  statesOf,
  type UploadStore,
} from './store.ts'

export interface UploadOptions {
  signal?: AbortSignal
  /** Called with the stored and the total bytes. */
  on_progress?: (done: number, total: number) => void
  /** Storage of upload states. With one, a later call or another process can resume an interrupted upload. */
  store?: UploadStore
  /** Limit on concurrent requests; default 3. */
  parallel?: number
  organization?: string
  /** Number of attempts without progress; default 12, which is about a minute. */
  retries?: number
  /** Idempotency key: the request is started once, even if another process sends the same files. */
  idempotency_key?: string
}

/** Arguments of one call of `send`. */
interface Upload {
  settings: ClientSettings
  named: NamedOperation
  input: CallInput
  files: readonly FileSource[]
  options: UploadOptions
}

/**
 * Sends files to a collection: few small ones in one form, more in several requests, large files in chunks.
 *
 * @returns the id of the request that processes them
 * @throws ApiError, ConnectionError, TypeError for files that the collection does not accept
 */
export async function sendUpload(
  settings: ClientSettings,
  named: NamedOperation,
  input: CallInput,
  { files: given, options = {} }: { files: Files; options?: UploadOptions },
): Promise<unknown> {
  const files = sourcesOf(given)
  assertFiles(named, files)
  const one: Upload = { settings, named, input, files, options }
  return fitsOneForm(files) ? sendAtOnce(one) : sendInParts(one)
}

/** Collections of media accept many files, all others one. */
const takesMany = ({ row }: NamedOperation) => row.path.endsWith('/data')

function assertFiles(named: NamedOperation, files: readonly FileSource[]): void {
  if (files.length === 0) throw new TypeError(`${named.name} needs a file.`)
  if (files.length > 1 && !takesMany(named))
    throw new TypeError(`${named.name} takes one file, not ${files.length}.`)
  const names = new Set(files.map(({ name }) => name))
  if (names.size < files.length) throw new TypeError('Two of the files have the same name.')
}

async function sendAtOnce({ settings, named, input, files, options }: Upload): Promise<unknown> {
  const total = sizeOf(files)
  options.on_progress?.(0, total)
  const form = await formWith(named, files, Object(input.body))
  const answer = await callOperation(settings, named, { ...input, body: form }, options)
  options.on_progress?.(total, total)
  return answer
}

async function formWith(
  named: NamedOperation,
  files: readonly FileSource[],
  members: Record<string, unknown>,
): Promise<FormData> {
  const [field = 'file'] = named.row.files ?? []
  const form = formOf(members)
  for (const [index, file] of files.entries()) {
    const bytes = await file.read(0, file.size)
    const blob = bytes instanceof Blob ? bytes : new Blob([bytes])
    form.append(takesMany(named) ? `${field}[${index}]` : field, blob, file.name)
  }
  return form
}

/** Sends one of several requests of an upload; its header names the step. */
const step = (
  upload: Upload,
  header: string,
  { body, key }: { body?: unknown; key?: string | undefined } = {},
) => {
  const { settings, named, input, options } = upload
  const called = { retries: patience, ...options, headers: { [header]: '' }, idempotency_key: key }
  return callOperation(settings, named, { ...input, body }, called)
}

async function sendInParts(upload: Upload): Promise<unknown> {
  const { settings, named, input, files, options } = upload
  const target = targetOf(upload)
  const parts = partsOf(files)
  const place = `${named.name} ${settings.base}${target.path}`
  const states = statesOf(options.store ?? memoryStore(), place)
  const { session } = await openSession(upload, target, states, parts)
  const progress = progressOf(parts, options)
  const names = new Map<UploadUnit, string>()
  await forEach(parts, options.parallel ?? 3, async (part) => {
    const name = part.isInPieces
      ? await sendFile({ upload, target, states, session }, part, progress)
      : await sendGroup({ upload, target, states, session }, part)
    names.set(part, name)
    progress(part, part.size)
  })
  const [filename] = names.values()
  const key = options.idempotency_key
  const answer = await (takesMany(named)
    ? step(upload, 'upload-finish', { body: inOrder(Object(input.body), files), key })
    : step({ ...upload, input: { ...input, filename } }, 'upload-finish', { key }))
  await states.forget()
  return answer
}

/** Concurrent files arrive in any order, so a required order is sent explicitly. */
function inOrder(body: Record<string, unknown>, files: readonly FileSource[]) {
  const isTold = body.upload_file_order !== undefined || files.length === 1
  const hasManifest = files.some(({ name }) => name.endsWith('.jsonl'))
  if (body.sorting_method !== 'predefined' || isTold || hasManifest) return body
  return { ...body, upload_file_order: files.map(({ name }) => name) }
}

function targetOf({ settings, named, input, options }: Upload): UploadCollection {
  const { signal, retries = patience } = options
  const path = named.row.path
    .replace(/\/$/, '')
    .replace(':id', encodeURIComponent(String(input.id)))
  return { settings, operation: named.name, path, signal, retries }
}

/** The service keeps uploads for twelve hours, so older ones may be deleted. */
const longestMs = 11 * 3600 * 1000

/** Returns the current upload, or starts a new one and deletes the remains of other uploads at the service. */
async function openSession(
  upload: Upload,
  { path }: UploadCollection,
  states: States,
  [first]: readonly UploadUnit[],
): Promise<SessionState> {
  // Files of a task belong to one upload; other collections have one upload per file.
  const key = takesMany(upload.named) ? 'session' : `session of ${first?.key}`
  const known = await states.find<SessionState>(key)
  if (known && Date.now() - known.started < longestMs) return known
  await step(upload, 'upload-start')
  if (takesMany(upload.named)) await dropLeft(upload, path)
  const state = { session: randomId(), started: Date.now() }
  await states.note(key, state)
  return state
}

async function dropLeft({ settings, named, options }: Upload, path: string): Promise<void> {
  const dropped = { name: named.name, row: { ...named.row, ...dropRow, path } }
  await callWithReader(settings, dropped, {}, options, async () => undefined)
}
const dropRow = { method: 'DELETE', answer: 'nothing', takes_key: false } as const

interface Sending {
  upload: Upload
  target: UploadCollection
  states: States
  session: string
}

async function sendGroup({ upload, states, session }: Sending, part: UploadUnit): Promise<string> {
  const noted = await knownOf(states, part, session)
  if (noted?.is_done) return ''
  const idempotency_key = noted?.idempotency_key ?? randomId()
  await states.note(part.key, { session, idempotency_key })
  const body = await formWith(upload.named, part.files, {})
  await step(upload, 'upload-multiple', { body, key: idempotency_key })
  await states.note(part.key, { session, idempotency_key, is_done: true })
  return ''
}

async function sendFile(
  { upload, target, states, session }: Sending,
  part: UploadUnit,
  progress: Progress,
): Promise<string> {
  const [file] = part.files
  if (!file) throw new TypeError('A part without a file.')
  const noted = await knownOf(states, part, session)
  if (noted?.is_done) return noted.filename ?? file.name
  const begun = await goOn(target, noted)
  const at = begun ?? (await begin({ upload, target, states, session }, part, file, noted))
  if (at === 'complete') return file.name
  await sendPieces(target, file, at, (offset) => progress(part, offset))
  await states.note(part.key, { session, path: at.path, filename: at.filename, is_done: true })
  return at.filename
}

/** Returns the position of a started file; undefined when the service has it no longer, or completely. */
async function goOn(
  target: UploadCollection,
  noted: PartState | undefined,
): Promise<StartedUpload | undefined> {
  const { path, filename = '' } = noted ?? {}
  if (path === undefined) return undefined
  const offset = await findStoredBytes(target, path)
  return offset === undefined ? undefined : { path, filename, offset }
}

async function begin(
  { upload, target, states, session }: Sending,
  part: UploadUnit,
  file: FileSource,
  noted: PartState | undefined,
): Promise<StartedUpload | 'complete'> {
  const isLost = noted?.path === undefined // the response to a stored creation was lost, if it was sent
  const idempotency_key = (isLost ? noted?.idempotency_key : undefined) ?? randomId()
  await states.note(part.key, { session, idempotency_key })
  try {
    const { path, filename, offset } = await beginFile(target, file, idempotency_key)
    await states.note(part.key, { session, idempotency_key, path, filename })
    return { path, filename, offset }
  } catch (thrown) {
    const isThere = thrown instanceof ApiError && thrown.status === 409
    if (isThere && noted && takesMany(upload.named)) return 'complete'
    throw thrown
  }
}

async function knownOf(
  states: States,
  { key }: UploadUnit,
  session: string,
): Promise<PartState | undefined> {
  const noted = await states.find<PartState>(key)
  return noted?.session === session ? noted : undefined
}

type Progress = (part: UploadUnit, done: number) => void

/** Reports the bytes of all parts together. */
function progressOf(parts: readonly UploadUnit[], { on_progress }: UploadOptions): Progress {
  const total = parts.reduce((sum, { size }) => sum + size, 0)
  const done = new Map<UploadUnit, number>()
  let sum = 0
  on_progress?.(0, total)
  return (part, bytes) => {
    sum += bytes - (done.get(part) ?? 0)
    done.set(part, bytes)
    on_progress?.(sum, total)
  }
}

/**
 * Runs `work` for each item with a limit on concurrency. After a failure no new item is started, and running ones are
 * awaited.
 */
export async function forEach<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values()
  let failure: { thrown: unknown } | undefined
  const worker = async () => {
    for (const item of left) {
      await work(item).catch((thrown: unknown) => {
        failure ??= { thrown }
      })
      if (failure) return
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  if (failure) throw failure.thrown
}
