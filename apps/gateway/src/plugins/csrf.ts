import { timingSafeEqual } from 'node:crypto'
import { DomainError } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'
import { csrfFor, csrfOf } from '../cookies.ts'

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * A cookie comes along whoever made the browser send the request. So a change needs what only a page of ours can read: the
 * value of the cookie `csrftoken` in `X-CSRFToken` (`spec/api-workspace.md` 2.1); and the origin that the browser names has
 * to be ours (`reliability.md` 11), or one that the operator trusts with the cookies of users.
 *
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
  if (!isTrusted && !isOwn(origin, request)) throw forged('the Origin is another site.')
  if (typeof given !== 'string') throw forged('the header X-CSRFToken is missing.')
  if (given !== csrfOf(request) || !isSame(given, csrfFor(session)))
    throw forged('the header X-CSRFToken is not the value of the cookie csrftoken.')
}

/** The scheme is left out: a proxy that ends TLS need not tell us. */
function isOwn(origin: string, { host }: FastifyRequest): boolean {
  return URL.canParse(origin) && new URL(origin).host === new URL(`http://${host}`).host
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const forged = (why: string) =>
  new DomainError('forbidden', `CSRF Failed: ${why}`, { code: 'csrf_failed' })
