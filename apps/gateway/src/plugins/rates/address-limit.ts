import { DomainError } from '@reticle/kit'
import { networkOf } from '@reticle/kit/net/network'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createWindowCounter } from './window-counter.ts'

const second = 1000
const minute = 60 * second

/** Limit on requests of a network within a minute; 0 disables it. */
export interface AddressLimit {
  isUsedUp(request: FastifyRequest): boolean
  /**
   * Counts a request once, and sets the headers with the remaining number.
   * @throws DomainError too_many
   */
  count(request: FastifyRequest, reply: FastifyReply): void
  /** Reverts the count of a request. */
  uncount(request: FastifyRequest, reply: FastifyReply): void
}

export function createAddressLimit(max: number): AddressLimit {
  const counter = createWindowCounter(max, minute)
  const counted = new WeakMap<FastifyRequest, () => void>()
  const keyOf = ({ ip }: FastifyRequest) => networkOf(ip)

  return {
    isUsedUp: (request) => max > 0 && counter.peek(keyOf(request)).isUsedUp,
    count(request, reply) {
      if (max === 0 || counted.has(request)) return
      const { isUsedUp, remaining, ends, giveBack } = counter.take(keyOf(request))
      const seconds = secondsUntil(ends)
      reply.headers(rateHeaders(max, remaining, seconds))
      if (isUsedUp) throw createThrottledError(seconds)
      counted.set(request, giveBack)
    },
    uncount(request, reply) {
      counted.get(request)?.()
      if (counted.delete(request)) for (const name of names) reply.removeHeader(name)
    },
  }
}

const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const

/** Returns whole seconds, rounded up, so that a client that waits for them is not too early. */
export const secondsUntil = (ends: number) => Math.max(1, Math.ceil((ends - Date.now()) / second))

/** Returns the rate limit headers; `reset` is the end of the window in Unix seconds. */
export const rateHeaders = (limit: number, remaining: number, seconds: number) => ({
  'x-ratelimit-limit': limit,
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-reset': Math.ceil(Date.now() / second + seconds),
})

export function createThrottledError(seconds: number): DomainError {
  const text = `Request was throttled. Expected available in ${seconds} seconds.`
  return new DomainError('too_many', text, { retry_after: seconds })
}
