import { DomainError } from '@reticle/kit'
import { networkOf } from '@reticle/kit/network'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { windowCounter } from './window-counter.ts'

const second = 1000
const minute = 60 * second

/** Calls that a network may make in a minute; a limit of 0 counts nothing. */
export interface AddressLimit {
  isUsedUp(request: FastifyRequest): boolean
  /**
   * Counts a call once, and shows in its headers how many are left.
   *
   * @throws DomainError too_many
   */
  count(request: FastifyRequest, reply: FastifyReply): void
  /** Takes back that a call was counted. */
  uncount(request: FastifyRequest, reply: FastifyReply): void
}

export function addressLimit(max: number): AddressLimit {
  const counter = windowCounter(max, minute)
  const counted = new WeakMap<FastifyRequest, () => void>()
  const keyOf = ({ ip }: FastifyRequest) => networkOf(ip)

  return {
    isUsedUp: (request) => max > 0 && counter.peek(keyOf(request)).isUsedUp,
    count(request, reply) {
      if (max === 0 || counted.has(request)) return
      const { isUsedUp, remaining, ends, giveBack } = counter.take(keyOf(request))
      const seconds = secondsUntil(ends)
      reply.headers(rateHeaders(max, remaining, seconds))
      if (isUsedUp) throw throttled(seconds)
      counted.set(request, giveBack)
    },
    uncount(request, reply) {
      counted.get(request)?.()
      if (counted.delete(request)) for (const name of names) reply.removeHeader(name)
    },
  }
}

const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const

/** Whole ones, so that a client which waits for them is not early. */
export const secondsUntil = (ends: number) => Math.max(1, Math.ceil((ends - Date.now()) / second))

/** Reset is the time at which the window ends, in Unix seconds (contract, rate limiting). */
export const rateHeaders = (limit: number, remaining: number, seconds: number) => ({
  'x-ratelimit-limit': limit,
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-reset': Math.ceil(Date.now() / second + seconds),
})

export function throttled(seconds: number): DomainError {
  const text = `Request was throttled. Expected available in ${seconds} seconds.`
  return new DomainError('too_many', text, { retry_after: seconds })
}
