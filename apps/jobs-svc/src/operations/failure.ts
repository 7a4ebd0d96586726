import { FormatError } from '@reticle/formats/errors'
import { DomainError, type Kind } from '@reticle/kit'
import { placeOf } from '@reticle/kit/validation'
import { z } from 'zod'
import { LeaseLost, UnusableInput } from './operation.ts'

/** Why an operation failed, as it travels out of its thread. */
export const failure = z.object({
  /**
   * `user`: trying again would fail the same way. `transient`: it may pass. `memory`: the thread had too little.
   * `limit`: it took too long.
   */
  kind: z.enum(['user', 'transient', 'memory', 'limit']),
  /** One sentence for the owner of the request. */
  message: z.string(),
})
export type Failure = z.infer<typeof failure>

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
  if (thrown instanceof LeaseLost) return { kind: 'transient', message: lostLease }
  const message =
    thrown instanceof DomainError && thrown.kind !== 'internal' ? thrown.message : inside
  return { kind: 'transient', message: oneLine(message) }
}

export const outOfMemory: Failure = {
  kind: 'memory',
  message: 'The conversion needs more memory than this installation gives it',
}

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

function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.length <= 2 * kept ? line : `${line.slice(0, kept)}…${line.slice(1 - kept)}`
}

const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined
const isDiskFull = (thrown: unknown) => ['ENOSPC', 'EDQUOT'].includes(String(codeOf(thrown)))
export const isOutOfMemory = (thrown: unknown) => codeOf(thrown) === 'ERR_WORKER_OUT_OF_MEMORY'
