import { inspect } from 'node:util'
import { report } from '@reticle/contracts/rest/requests'
import { FormatError } from '@reticle/formats/report/errors'
import { DomainError, type ErrorKind } from '@reticle/kit'
import { formatPath } from '@reticle/kit/call/validation'
import { z } from 'zod'
import { LeaseLost, UnusableInput } from './errors.ts'
import { reportBefore } from './report.ts'

/** Failure of an operation, as the converter sends it. */
export const failure = z.object({
  /**
   * `user`: a retry would fail the same way. `transient`: a retry may succeed. `memory`: the process had too little.
   * `limit`: it took too long. `defect`: the converter violated the protocol, and a retry would too.
   */
  kind: z.enum(['user', 'transient', 'memory', 'limit', 'defect']),
  /** One sentence for the owner of the request. */
  message: z.string(),
  /** Entries noted before the failure. */
  report: report.optional(),
})
export type RequestFailure = z.infer<typeof failure>

export type DetailedFailure = RequestFailure & { detail: string }

export const lostWorker = 'The worker stopped unexpectedly'
const inside = 'The service failed to run this request'
/** Another worker holds the request, or the database did not confirm the lease. */
const lostLease = 'The worker no longer holds this request'

/** Whether an error depends on the input and not on the moment, so that a retry without a change is useless. */
const isOfTheUser = ({ kind, retry_after }: DomainError) =>
  userKinds.has(kind) && retry_after === undefined

const userKinds = new Set<ErrorKind>([
  'invalid',
  'forbidden',
  'not_found',
  'conflict',
  'gone',
  'precondition',
  'too_large',
])

/** Classifies an error by whether a retry can help, and adds the report entries noted before it. */
export function failureOf(thrown: unknown): RequestFailure {
  const report = reportBefore(thrown)
  return report ? { ...reasonOf(thrown), report } : reasonOf(thrown)
}

function reasonOf(thrown: unknown): RequestFailure {
  if (thrown instanceof FormatError || thrown instanceof UnusableInput)
    return { kind: 'user', message: oneLine(thrown.message) }
  if (thrown instanceof DomainError && isOfTheUser(thrown))
    return { kind: 'user', message: oneLine(sentenceOf(thrown)) }
  if (isDiskFull(thrown))
    return { kind: 'transient', message: 'There is no room for temporary files' }
  if (isTooLargeForEngine(thrown)) return tooLarge
  if (isStackOverflow(thrown)) return tooDeep
  if (thrown instanceof LeaseLost) return { kind: 'transient', message: lostLease }
  const message =
    thrown instanceof DomainError && thrown.kind !== 'internal' ? thrown.message : inside
  return { kind: 'transient', message: oneLine(message) }
}

const smallerParts = 'Use smaller parts, such as single jobs or fewer files'

const outOfMemory: RequestFailure = {
  kind: 'memory',
  message: `The conversion needed more memory than a conversion may use. ${smallerParts}, or ask an administrator to raise RETICLE_JOBS_HEAP_MIB`,
}

/** A larger heap does not help: the engine limits the size of a single text, map or buffer. */
const tooLarge: RequestFailure = {
  kind: 'limit',
  message: `The conversion needed a single value that is larger than any conversion can hold. ${smallerParts}`,
}

const tooDeep: RequestFailure = {
  kind: 'limit',
  message: 'The data is nested too deeply to be converted',
}

/** Returns the failure for an exception that the converter did not catch. */
export function brokenConverter(thrown: unknown): DetailedFailure {
  const known = isTooLargeForEngine(thrown) || isStackOverflow(thrown)
  const failure: RequestFailure = known
    ? failureOf(thrown)
    : { kind: 'transient', message: 'The conversion ended with an unexpected error' }
  return { ...failure, detail: detailOf(thrown) }
}

/** Exit of a process. */
export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Last part of its error output. */
  errors: string
}

const abortCode = 134

/**
 * Returns the failure for a process that exited without a result. V8 writes why it aborts, and may end by another
 * signal than SIGABRT.
 */
export function endedConverter({ code, signal, errors }: Exit): DetailedFailure {
  const detail = `the converter exited with ${signal ?? `code ${code}`}: ${errors}`
  const isCrash = signal !== null || code === abortCode
  if (isCrash && /out of memory|invalid size error/i.test(errors)) return { ...outOfMemory, detail }
  return { kind: 'transient', message: 'The conversion ended without a result', detail }
}

/** Returns the failure for an invalid message. `why` names the field and its fault. */
export const invalidMessage = (why: string): DetailedFailure => ({
  kind: 'defect',
  message: `The conversion failed: the converter sent an invalid message (${oneLine(why)})`,
  detail: `invalid message of a conversion: ${why}`,
})

/** Returns the failure for a report or result that the database refuses, now and after a retry. */
export const unstorable = (thrown: unknown): DetailedFailure => ({
  kind: 'defect',
  message: 'The conversion failed: its report or result cannot be stored',
  detail: detailOf(thrown),
})

/** Returns whether the SQLSTATE class means values that can never be stored: data exceptions and program limits. */
export const isUnstorable = (thrown: unknown) => /^(22|54)/.test(String(codeOf(thrown)))

const longestDetail = 10_000

/**
 * Formats an error for the log. Never throws: a converter may throw any value, also one that cannot be converted to
 * text.
 */
export const detailOf = (thrown: unknown): string =>
  inspect(thrown, { depth: 2, breakLength: Number.POSITIVE_INFINITY }).slice(0, longestDetail)

/** Returns the first text of an error body, with its field. Shapes of bodies: docs/spec/rest.md#errors */
export function sentenceOf({ kind, body, message }: DomainError): string {
  if (kind === 'not_found') return message === 'Not found.' ? 'The object was deleted' : message
  return firstText(body, []) ?? message
}

function firstText(body: unknown, path: readonly string[]): string | undefined {
  if (typeof body === 'string') return path.length > 0 ? `${formatPath(path)}: ${body}` : body
  if (typeof body !== 'object' || body === null) return undefined
  for (const [key, value] of Object.entries(body)) {
    const isText = Array.isArray(body) && typeof value === 'string'
    const text = firstText(value, isText ? path : [...path, key])
    if (text !== undefined) return text
  }
  return undefined
}

/** Characters kept at each end of a sentence: the start names the faulty object, the end contains the reason. */
const kept = 500

export function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.length <= 2 * kept ? line : `${line.slice(0, kept)}…${line.slice(1 - kept)}`
}

const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined
const isStackOverflow = (thrown: unknown) =>
  thrown instanceof RangeError && thrown.message === 'Maximum call stack size exceeded'
const isDiskFull = (thrown: unknown) => ['ENOSPC', 'EDQUOT'].includes(String(codeOf(thrown)))

/** Whether V8 or Node.js threw because a value exceeds a limit, or because no memory for a buffer was left. */
const isTooLargeForEngine = (thrown: unknown) =>
  ['ERR_STRING_TOO_LONG', 'ERR_BUFFER_TOO_LARGE', 'ERR_FS_FILE_TOO_LARGE'].includes(
    String(codeOf(thrown)),
  ) ||
  (thrown instanceof RangeError &&
    /^(Invalid string length|Array buffer allocation failed|(Map|Set) maximum size exceeded)$/.test(
      thrown.message,
    ))
