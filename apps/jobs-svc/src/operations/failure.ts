import { inspect } from 'node:util'
import { report } from '@reticle/contracts/rest/requests'
import { FormatError } from '@reticle/formats/errors'
import { DomainError, type Kind } from '@reticle/kit'
import { placeOf } from '@reticle/kit/validation'
import { z } from 'zod'
import { LeaseLost, UnusableInput } from './operation.ts'
import { reportBefore } from './report.ts'

/** Why an operation failed, as it travels out of its converter. */
export const failure = z.object({
  /**
   * `user`: trying again would fail the same way. `transient`: it may pass. `memory`: the process had too little.
   * `limit`: it took too long. `defect`: the converter broke a rule of the worker, and would break it again.
   */
  kind: z.enum(['user', 'transient', 'memory', 'limit', 'defect']),
  /** One sentence for the owner of the request. */
  message: z.string(),
  /** Entries noted before the failure. */
  report: report.optional(),
})
export type Failure = z.infer<typeof failure>

export type DetailedFailure = Failure & { detail: string }

export const lostWorker = 'The worker stopped unexpectedly'
const inside = 'The service failed to run this request'
/** Another has it, or the database did not say that it is still held. */
const lostLease = 'The worker no longer holds this request'

/** Says something about what was asked, not about the moment: nobody would try it again without a change. */
const isOfTheUser = ({ kind, retry_after }: DomainError) =>
  userKinds.has(kind) && retry_after === undefined

const userKinds = new Set<Kind>([
  'invalid',
  'forbidden',
  'not_found',
  'conflict',
  'gone',
  'precondition',
  'too_large',
])

/** Sorts an error by whether another attempt can help, and adds the report of the operation until then. */
export function failureOf(thrown: unknown): Failure {
  const report = reportBefore(thrown)
  return report ? { ...reasonOf(thrown), report } : reasonOf(thrown)
}

function reasonOf(thrown: unknown): Failure {
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

const outOfMemory: Failure = {
  kind: 'memory',
  message: `The conversion needed more memory than a conversion may use. ${smallerParts}, or ask an administrator to raise RETICLE_JOBS_HEAP_MIB`,
}

/** More heap does not help: the engine limits the size of a single text, map or buffer. */
const tooLarge: Failure = {
  kind: 'limit',
  message: `The conversion needed a single value that is larger than any conversion can hold. ${smallerParts}`,
}

const tooDeep: Failure = {
  kind: 'limit',
  message: 'The data is nested too deeply to be converted',
}

/** An exception that nothing in the converter has caught. */
export function brokenConverter(thrown: unknown): DetailedFailure {
  const known = isTooLargeForEngine(thrown) || isStackOverflow(thrown)
  const failure: Failure = known
    ? failureOf(thrown)
    : { kind: 'transient', message: 'The conversion ended with an unexpected error' }
  return { ...failure, detail: detailOf(thrown) }
}

/** The exit of a process. */
export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** The end of its error output. */
  errors: string
}

const abortCode = 134

/** A process that exited without a result. V8 writes why it aborts, and may end by another signal than SIGABRT. */
export function endedConverter({ code, signal, errors }: Exit): DetailedFailure {
  const detail = `the converter exited with ${signal ?? `code ${code}`}: ${errors}`
  const isCrash = signal !== null || code === abortCode
  if (isCrash && /out of memory|invalid size error/i.test(errors)) return { ...outOfMemory, detail }
  return { kind: 'transient', message: 'The conversion ended without a result', detail }
}

/** `why` names the field and its fault. */
export const invalidMessage = (why: string): DetailedFailure => ({
  kind: 'defect',
  message: `The conversion failed: the converter sent an invalid message (${oneLine(why)})`,
  detail: `invalid message of a conversion: ${why}`,
})

/** The end of a conversion holds text or numbers that the database refuses, and would refuse again. */
export const unstorable = (thrown: unknown): DetailedFailure => ({
  kind: 'defect',
  message: 'The conversion failed: its report or result cannot be stored',
  detail: detailOf(thrown),
})

/** SQLSTATE classes of values that cannot be stored, whenever it is tried: data exceptions, and limits of the program. */
export const isUnstorable = (thrown: unknown) => /^(22|54)/.test(String(codeOf(thrown)))

const longestDetail = 10_000

/** For the log. Never throws: a converter may throw anything, also what cannot be turned into text. */
export const detailOf = (thrown: unknown): string =>
  inspect(thrown, { depth: 2, breakLength: Number.POSITIVE_INFINITY }).slice(0, longestDetail)

/** The first text of a body, with the field it belongs to; bodies come in the shapes of `spec/api-annotations.md` 5.1. */
export function sentenceOf({ kind, body, message }: DomainError): string {
  if (kind === 'not_found') return message === 'Not found.' ? 'The object was deleted' : message
  return firstText(body, []) ?? message
}

function firstText(body: unknown, path: readonly string[]): string | undefined {
  if (typeof body === 'string') return path.length > 0 ? `${placeOf(path)}: ${body}` : body
  if (typeof body !== 'object' || body === null) return undefined
  for (const [key, value] of Object.entries(body)) {
    const isText = Array.isArray(body) && typeof value === 'string'
    const text = firstText(value, isText ? path : [...path, key])
    if (text !== undefined) return text
  }
  return undefined
}

/** Characters at either end of a sentence: one begins with the name of what is wrong, which may be long, and ends with the reason. */
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

/** What V8 and Node.js throw for a value beyond their limits, and where the system has no memory for a buffer. */
const isTooLargeForEngine = (thrown: unknown) =>
  ['ERR_STRING_TOO_LONG', 'ERR_BUFFER_TOO_LARGE', 'ERR_FS_FILE_TOO_LARGE'].includes(
    String(codeOf(thrown)),
  ) ||
  (thrown instanceof RangeError &&
    /^(Invalid string length|Array buffer allocation failed|(Map|Set) maximum size exceeded)$/.test(
      thrown.message,
    ))
