import type { Readable } from 'node:stream'
import type { MultipartFile, MultipartValue } from '@fastify/multipart'
import { DomainError, invalid } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'

/** Reads multipart forms: fields are collected, files are passed on as they arrive. */

export interface FormLimits {
  files: number
  fields: number
  parts: number
}

/** A file of a form whose bytes are arriving. */
export interface ArrivingFile {
  field: string
  /** Base name of the client's file name. */
  name: string
  /** Media type that the client states. */
  type: string
  pieces: AsyncIterable<Uint8Array>
}

export interface FormOptions {
  limits: FormLimits
  /** Maximum size of the whole body in bytes. */
  maxBytes: number
  /** Fires when the client disconnects. */
  signal: AbortSignal
  onFile: OnFile
  /** Fields that contain a document and may therefore be larger than others. */
  documents?: readonly string[]
}

/** Reads all pieces of a file; the next part is read after it completes. `halt` fires when no more pieces will come. */
export type OnFile = (file: ArrivingFile, halt: AbortSignal) => Promise<void>

export type FormFields = Record<string, unknown>

const fieldSize = 64 * 1024
/** Maximum total size of fields, which are kept in memory: equal to the limit of a JSON body. */
const mostFieldBytes = 2 * 1024 * 1024
const longestName = 1024
const longestBoundary = 70 // RFC 2046 5.1.1

/** Returns the boundary between the parts of a form; empty when the media type does not contain one. */
export function boundaryOf({ headers }: FastifyRequest): string {
  const given = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(headers['content-type'] ?? '')
  return given?.[1] ?? given?.[2] ?? ''
}

/**
 * Checks the boundary.
 * @throws DomainError invalid when the parts of a body cannot be separated
 */
export function assertBoundary(request: FastifyRequest): void {
  const boundary = boundaryOf(request)
  if (boundary === '') throw createMalformedError('its Content-Type names no boundary')
  if (boundary.length > longestBoundary)
    throw createMalformedError(`its boundary is longer than ${longestBoundary} characters`)
}

const createMalformedError = (reason: string) =>
  new DomainError('invalid', `The multipart body cannot be read: ${reason}.`, {
    code: 'parse_error',
  })

/**
 * Reads a form to its end and returns its fields.
 * @throws DomainError invalid for a malformed or truncated body, too_large above a limit, or the error of `onFile`
 */
export async function readForm(request: FastifyRequest, options: FormOptions): Promise<FormFields> {
  const halt = haltWith(options.signal)
  const parts = request.parts({ limits: { ...options.limits, ...partLimits } })
  const fields = new Map<string, unknown>()
  const halted = rejectOnAbort(halt.signal)
  const count = countBytes(options.maxBytes, halt)
  const { raw, repeat } = request
  try {
    let taken = 0
    let next = parts.next() // starts reading: bytes are counted from here on
    raw.on('data', count)
    if (repeat) raw.on('data', repeat.read)
    for (;;) {
      const { done, value: part } = await Promise.race([next.catch(rethrowFormError), halted])
      if (done) break
      if (part.fieldname === undefined) throw createMalformedError('a part has no name')
      if (part.type === 'field') {
        taken += addField(fields, part, options.documents)
        if (taken > mostFieldBytes) throw createFieldsTooLargeError()
      } else await options.onFile(toArrivingFile(part, halt.signal), halt.signal)
      next = parts.next()
    }
    repeat?.end()
    return Object.fromEntries(fields)
  } finally {
    raw.off('data', count)
    if (repeat) raw.off('data', repeat.read)
    raw.unpipe()
  }
}

const partLimits = {
  fieldSize: mostFieldBytes,
  fileSize: Number.MAX_SAFE_INTEGER,
  headerPairs: 64,
  headerSize: 16 * 1024, // the rest is not read: a name that is truncated here exceeds every limit of names
}

/** Stops everything that waits for bytes; the reason is always an error that can be reported to the client. */
function haltWith(signal: AbortSignal): AbortController {
  const halt = new AbortController()
  const gone = () => halt.abort(createMalformedError('it ended early'))
  if (signal.aborted) gone()
  else signal.addEventListener('abort', gone, { once: true })
  return halt
}

function countBytes(maxBytes: number, halt: AbortController): (piece: Buffer) => void {
  let total = 0
  return ({ length }) => {
    total += length
    if (total > maxBytes)
      halt.abort(new DomainError('too_large', `The upload is larger than ${maxBytes} bytes.`))
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const halted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })
  halted.catch(() => undefined)
  return halted
}

function toArrivingFile(part: MultipartFile, signal: AbortSignal): ArrivingFile {
  const { fieldname: field, filename, mimetype: type, file } = part
  return { field, name: baseName(field, filename), type, pieces: piecesOf(file, signal) }
}

async function* piecesOf(file: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const stop = () => file.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    yield* file
  } catch (thrown) {
    throw formError(thrown)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Returns the last part of a path, because clients may send complete local paths. */
function baseName(field: string, filename: string | undefined): string {
  const last = (filename ?? '').split(/[\\/]/).at(-1) ?? ''
  const name = last.replace(/\p{Cc}/gu, '').trim()
  if (name === '' || name === '.' || name === '..')
    throw invalid({ [field]: 'The submitted file has no name.' })
  if (name.length > longestName)
    throw invalid({ [field]: `The name of the file is longer than ${longestName} characters.` })
  return name
}

const createFieldsTooLargeError = () =>
  new DomainError('too_large', `The fields of the form are larger than ${mostFieldBytes} bytes.`)

/**
 * Adds a field.
 * @returns the size of its value in bytes
 */
function addField(
  fields: Map<string, unknown>,
  { fieldname: name, value, valueTruncated }: MultipartValue,
  documents: readonly string[] = [],
): number {
  const bytes = Buffer.byteLength(String(value))
  if (bytes > fieldSize && !documents.includes(name))
    throw new DomainError('too_large', `The field ${name} is larger than ${fieldSize} bytes.`)
  if (valueTruncated) throw createFieldsTooLargeError()
  if (fields.has(name)) throw invalid({ [name]: 'This field may be given only once.' })
  fields.set(name, value)
  return Buffer.byteLength(name) + bytes
}

function rethrowFormError(thrown: unknown): never {
  throw formError(thrown)
}

const limitTexts: Record<string, string> = {
  FST_PARTS_LIMIT: 'The form has too many parts.',
  FST_FILES_LIMIT: 'The form has too many files.',
  FST_FIELDS_LIMIT: 'The form has too many fields.',
}

/** Converts errors of the parser to client errors. */
function formError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  const tooMany = limitTexts[code]
  if (tooMany) return new DomainError('too_large', tooMany)
  if (code === 'FST_PROTO_VIOLATION') return createMalformedError('a field has a forbidden name')
  if (code === 'FST_INVALID_JSON_FIELD_ERROR')
    return createMalformedError('a field is not valid JSON')
  return createMalformedError('it is not complete or not well-formed')
}
