import { inspect } from 'node:util'
import { FormatError } from '@reticle/formats/errors'
import { DomainError, type Kind } from '@reticle/kit'
import { placeOf } from '@reticle/kit/validation'
import { z } from 'zod'
import { LeaseLost, UnusableInput } from './operation.ts'

/** Why an operation failed, as it travels out of its thread. */
export const failure = z.object({
  /**
   * `user`: trying again would fail the same way. `transient`: it may pass. `memory`: the thread had too little.
   * `limit`: it took too long. `defect`: the converter broke a rule of the worker, and would break it again.
   */
  kind: z.enum(['user', 'transient', 'memory', 'limit', 'defect']),
  /** One sentence for the owner of the request. */
  message: z.string(),
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

/** Sorts what was thrown by whether another attempt can help. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof FormatError || thrown instanceof UnusableInput)
    return { kind: 'user', message: oneLine(thrown.message) }
  if (thrown instanceof DomainError && isOfTheUser(thrown))
    return { kind: 'user', message: oneLine(sentenceOf(thrown)) }
  if (isDiskFull(thrown))
    return { kind: 'transient', message: 'There is no room for temporary files' }
  if (isOutOfMemory(thrown)) return outOfMemory
  if (isStackOverflow(thrown)) return tooDeep
  if (thrown instanceof LeaseLost) return { kind: 'transient', message: lostLease }
  const message =
    thrown instanceof DomainError && thrown.kind !== 'internal' ? thrown.message : inside
  return { kind: 'transient', message: oneLine(message) }
}

export const outOfMemory: Failure = {
  kind: 'memory',
  message: 'The conversion needs more memory than this installation gives it',
}

const tooDeep: Failure = {
  kind: 'limit',
  message: 'The data is nested too deeply to be converted',
}

/** How a thread came to its end that threw outside of its conversion. */
export function brokenThread(thrown: unknown): DetailedFailure {
  const known = isOutOfMemory(thrown) || isStackOverflow(thrown)
  const failure: Failure = known
    ? failureOf(thrown)
    : { kind: 'transient', message: 'The conversion ended with an unexpected error' }
  return { ...failure, detail: detailOf(thrown) }
}

/** How a thread came to its end that left without a result. */
export const leftThread = (code: number): DetailedFailure => ({
  kind: 'transient',
  message: 'The conversion ended without a result',
  detail: `the thread of the conversion exited with code ${code}`,
})

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

/** For the log. Never throws: a thread may throw anything, also what cannot be turned into text. */
export const detailOf = (thrown: unknown): string =>
  inspect(thrown, { depth: 2, breakLength: Number.POSITIVE_INFINITY }).slice(0, longestDetail)

/** The first text of a body, with the field it belongs to; bodies come in the shapes of `spec/api-annotations.md` 5.1. */
function sentenceOf({ kind, body, message }: DomainError): string {
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
const isOutOfMemory = (thrown: unknown) => codeOf(thrown) === 'ERR_WORKER_OUT_OF_MEMORY'
