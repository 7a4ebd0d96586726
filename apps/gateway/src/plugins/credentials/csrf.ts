import { timingSafeEqual } from 'node:crypto'
import { DomainError } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'
import { csrfFor, csrfOf } from '../../call/cookies.ts'

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Protects sessions against forged requests: browsers send cookies with any request, so a change also needs the value
 * of the cookie `csrftoken` in `X-CSRFToken`, which only our pages can read. The origin in the request must be our
 * own, or one that the operator trusts with user cookies.
 * @throws DomainError forbidden
 */
export function assertNotForged(
  request: FastifyRequest,
  session: string,
  trustedOrigins: readonly string[] = [],
): void {
  if (safeMethods.has(request.method)) return
  const { origin, 'x-csrftoken': given } = request.headers
  const isTrusted = origin === undefined || trustedOrigins.includes(origin)
  if (!isTrusted && !isOwn(origin, request)) throw createForgedError('the Origin is another site.')
  if (typeof given !== 'string') throw createForgedError('the header X-CSRFToken is missing.')
  if (given !== csrfOf(request) || !isSame(given, csrfFor(session)))
    throw createForgedError('the header X-CSRFToken is not the value of the cookie csrftoken.')
}

/** Compares hosts without the scheme, because a proxy that terminates TLS may not forward it. */
function isOwn(origin: string, { host }: FastifyRequest): boolean {
  return URL.canParse(origin) && new URL(origin).host === new URL(`http://${host}`).host
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const createForgedError = (why: string) =>
  new DomainError('forbidden', `CSRF Failed: ${why}`, { code: 'csrf_failed' })
