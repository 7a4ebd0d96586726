import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestCheck } from '../../call/request.ts'
import type { GatewaySettings } from '../../config.ts'
import {
  type AddressLimit,
  createAddressLimit,
  createThrottledError,
  rateHeaders,
} from './address-limit.ts'

type Rates = Pick<GatewaySettings, 'rateAuth' | 'rateUser' | 'rateAnnotations'>
type Limiter = ReturnType<FastifyInstance['createRateLimit']>
type Count = Awaited<ReturnType<Limiter>>

const second = 1000
const minute = 60 * second
const hour = 60 * minute
/** Calls of operations with the limit `polling` that do not count towards the rate of a user. */
export const pollsPerSecond = 10
/** Maximum of calls of operations with the limit `hourly`, per user. */
export const callsPerHour = 5

/**
 * Creates the check of rate limits: by user, or else by address, with a separate limit for signing in. Failed
 * credentials count as anonymous calls before they are looked up: `authenticate.ts` (docs/spec/rest.md#rate-limits).
 */
export async function createRateLimitCheck(
  app: FastifyInstance,
  rates: Rates,
  anonymous: AddressLimit,
): Promise<RequestCheck> {
  await app.register(rateLimit, { global: false })
  const byUser = (max: number, ms: number) => createLimiter(app, max, ms)
  const auth = createAddressLimit(rates.rateAuth)
  const user = byUser(rates.rateUser, minute)
  const polling = byUser(pollsPerSecond, second)
  const hourly = byUser(callsPerHour, hour)
  const annotations = byUser(rates.rateAnnotations, minute)

  return async (request, reply, { limit }) => {
    if (limit === 'none') return
    // Administrators may create many accounts at a time.
    const isAdministrator = request.principal?.role === 'admin'
    if (limit === 'auth' && !isAdministrator) return auth.count(request, reply)
    if (!request.principal) return anonymous.count(request, reply)
    if (limit === 'hourly') return countCall(hourly, request, reply)
    if (limit === 'annotations' && annotations) await countCall(annotations, request, reply)
    if (limit === 'polling' && (await isWithin(polling, request))) return
    return countCall(user, request, reply)
  }
}

/** Key of a user; this counter only sees authenticated calls. */
const userKey = ({ principal }: FastifyRequest) => principal?.user_id ?? 'anonymous'

function createLimiter(app: FastifyInstance, max: number, timeWindow: number): Limiter | undefined {
  return max === 0 ? undefined : app.createRateLimit({ max, timeWindow, keyGenerator: userKey })
}

async function isWithin(limit: Limiter | undefined, request: FastifyRequest): Promise<boolean> {
  const found = await limit?.(request)
  return found !== undefined && (found.isAllowed || !found.isExceeded)
}

async function countCall(limit: Limiter | undefined, request: FastifyRequest, reply: FastifyReply) {
  const found = await limit?.(request)
  if (found) setRateHeaders(found, reply)
}

function setRateHeaders(found: Count, reply: FastifyReply): void {
  if (found.isAllowed) return
  const { max, remaining, ttl, isExceeded } = found
  const seconds = Math.max(1, Math.ceil(ttl / second))
  reply.headers(rateHeaders(max, remaining, seconds))
  if (isExceeded) throw createThrottledError(seconds)
}
