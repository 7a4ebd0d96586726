import rateLimit from '@fastify/rate-limit'
import { DomainError } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewaySettings } from '../config.ts'
import type { Check } from '../request.ts'

type Rates = Pick<GatewaySettings, 'rateAnonymous' | 'rateAuth' | 'rateUser' | 'rateAnnotations'>
type Limiter = ReturnType<FastifyInstance['createRateLimit']>
type Count = Awaited<ReturnType<Limiter>>

const second = 1000
const minute = 60 * second
export const pollsPerSecond = 10
const hour = 60 * minute
export const callsPerHour = 5

/** Limits of `spec/api-annotations.md` 6.1: by user, else by address; signing in has a limit of its own. */
export async function rateLimits(app: FastifyInstance, rates: Rates): Promise<Check> {
  await app.register(rateLimit, { global: false })
  const byAddress = (max: number) => limiter(app, max, minute, ({ ip }) => ip)
  const byUser = (max: number, ms: number) => limiter(app, max, ms, userKey)
  const anonymous = byAddress(rates.rateAnonymous)
  const auth = byAddress(rates.rateAuth)
  const user = byUser(rates.rateUser, minute)
  const polling = byUser(pollsPerSecond, second)
  const hourly = byUser(callsPerHour, hour)
  const annotations = byUser(rates.rateAnnotations, minute)

  return async (request, reply, { limit }) => {
    if (limit === 'none') return
    // Accounts are made for others too, many at a time, by who is known already.
    const isAdministrator = request.principal?.role === 'admin'
    if (limit === 'auth' && !isAdministrator) return count(auth, request, reply)
    if (!request.principal) return count(anonymous, request, reply)
    if (limit === 'hourly') return count(hourly, request, reply)
    if (limit === 'annotations' && annotations) await count(annotations, request, reply)
    if (limit === 'polling' && (await isWithin(polling, request))) return
    return count(user, request, reply)
  }
}

const userKey = ({ principal, ip }: FastifyRequest) => principal?.user_id ?? ip

function limiter(
  app: FastifyInstance,
  max: number,
  timeWindow: number,
  keyGenerator: (request: FastifyRequest) => string | number,
): Limiter | undefined {
  return max === 0 ? undefined : app.createRateLimit({ max, timeWindow, keyGenerator })
}

async function isWithin(limit: Limiter | undefined, request: FastifyRequest): Promise<boolean> {
  const found = await limit?.(request)
  return found !== undefined && (found.isAllowed || !found.isExceeded)
}

async function count(limit: Limiter | undefined, request: FastifyRequest, reply: FastifyReply) {
  const found = await limit?.(request)
  if (found) show(found, reply)
}

/** Reset is the time at which the window ends, in Unix seconds (contract, rate limiting). */
function show(found: Count, reply: FastifyReply): void {
  if (found.isAllowed) return
  const { max, remaining, ttl, isExceeded } = found
  const seconds = Math.max(1, Math.ceil(ttl / second))
  reply.headers({
    'x-ratelimit-limit': max,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': Math.ceil((Date.now() + ttl) / second),
  })
  if (!isExceeded) return
  const text = `Request was throttled. Expected available in ${seconds} seconds.`
  throw new DomainError('too_many', text, { retry_after: seconds })
}
