import * as grpc from '@grpc/grpc-js'
import { DomainError, kinds, tookTooLong, unavailable } from '../../call/errors.ts'

/** Transport of a failure over gRPC: its kind as the status, and the complete failure in the `error-bin` trailer. */

const key = 'error-bin' // -bin: plain metadata is ASCII only
const noRetry = 'grpc-retry-pushback-ms'
const trailerLimit = 8 * 1024 // bytes; grpc-js fails the call if a trailer is much larger

/** Returns status and trailer of a failure. */
export function statusOf(error: DomainError) {
  const metadata = new grpc.Metadata()
  metadata.set(key, trailer(error))
  // A failure that the service itself reports is final: only calls lost with a broken connection should be retried.
  metadata.set(noRetry, '-1')
  return { code: kinds[error.kind].grpc, details: error.message.slice(0, 512), metadata }
}

const brokenCodes: number[] = [
  grpc.status.UNAVAILABLE,
  grpc.status.CANCELLED,
  grpc.status.RESOURCE_EXHAUSTED,
]

/** Returns the failure of a status: the exact one if the trailer exists, otherwise a guess for a broken connection. */
export function errorOf({ code, metadata }: grpc.ServiceError): DomainError {
  const [sent] = metadata?.get(key) ?? []
  if (sent) return DomainError.fromJSON(JSON.parse(String(sent)))
  if (code === grpc.status.DEADLINE_EXCEEDED) return tookTooLong()
  if (brokenCodes.includes(code)) return unavailable('A part of the service did not answer.')
  return new DomainError('internal', 'Internal server error')
}

/** Returns true if the connection broke; a service that reports a failure sends a trailer. */
export const isBroken = ({ code, metadata }: grpc.ServiceError): boolean =>
  code === grpc.status.UNAVAILABLE && !metadata?.get(key).length

function trailer(error: DomainError): Buffer {
  const whole = toBytes(error)
  return whole.length <= trailerLimit ? whole : toBytes(shortened(error))
}

const toBytes = (error: DomainError) => Buffer.from(JSON.stringify(error))

function shortened({ kind, message, code, body, retry_after }: DomainError): DomainError {
  const text = message.length > 512 ? `${message.slice(0, 512)}…` : message
  return new DomainError(kind, text, { code, body: shortBody(body), retry_after })
}

/** Keeps as many messages as fit, and adds the number of the others. */
function shortBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return undefined
  const { kept, left } = firstMessages(body, trailerLimit - 3 * 1024)
  const note = `and ${left} more`
  return Array.isArray(kept) ? [...kept, note] : { ...Object(kept), non_field_errors: [note] }
}

/** Walks a body in order and keeps what fits into `room` bytes of JSON; `left` counts the texts that do not fit. */
function firstMessages(body: object, room: number): { kept: unknown; left: number } {
  let left = 0
  const keep = (value: unknown): unknown => {
    room -= sizeOf(value)
    const hasRoom = room >= 0
    const kept = isContainer(value) ? keepMembers(value) : value
    if (!hasRoom && !isContainer(value)) left++
    return hasRoom ? kept : undefined
  }
  const keepMembers = (value: object) => {
    if (Array.isArray(value)) return value.map(keep).filter((item) => item !== undefined)
    const members = Object.entries(value).map(([name, inner]) => {
      room -= sizeOf(name)
      return [name, keep(inner)] as const
    })
    return Object.fromEntries(members.filter(([, inner]) => inner !== undefined))
  }
  return { kept: keep(body), left }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Returns the bytes of a value with its punctuation; for a container, without its members. */
const sizeOf = (value: unknown) =>
  isContainer(value) ? 3 : Buffer.byteLength(JSON.stringify(value) ?? '') + 2
