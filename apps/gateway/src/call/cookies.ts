import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Cookies of a session. */

const sessionName = 'sessionid'
const csrfName = 'csrftoken'
const lifeSeconds = 14 * 86_400

/** Returns the session cookie; undefined when none was sent. */
export const sessionOf = (request: FastifyRequest) => cookieOf(request, sessionName)

/** Returns the CSRF cookie, which scripts of our pages read and send back in `X-CSRFToken`. */
export const csrfOf = (request: FastifyRequest) => cookieOf(request, csrfName)

/**
 * Returns the CSRF token of a session. It is bound to the session, so that an attacker cannot plant a token in
 * another user's browser.
 */
export const csrfFor = (session: string) => hash('sha256', `${csrfName} ${session}`).slice(0, 32)

/** Sets the session cookies or extends their lifetime. */
export function setSession(request: FastifyRequest, reply: FastifyReply, session: string): void {
  setBoth(request, reply, { session, csrf: csrfFor(session), seconds: lifeSeconds })
}

export function clearSession(request: FastifyRequest, reply: FastifyReply): void {
  setBoth(request, reply, { session: '', csrf: '', seconds: 0 })
}

interface Values {
  session: string
  csrf: string
  seconds: number
}

/**
 * Sets both cookies. A widespread client loses all cookies unless each ends in an attribute with a value and has no
 * date with a comma.
 */
function setBoth({ protocol }: FastifyRequest, reply: FastifyReply, values: Values): void {
  const { session, csrf, seconds } = values
  const secure = protocol === 'https' ? '; Secure' : ''
  const common = `Path=/; Max-Age=${seconds}`
  reply.header('set-cookie', [
    `${sessionName}=${session}; ${common}; HttpOnly${secure}; SameSite=Lax`,
    `${csrfName}=${csrf}; ${common}${secure}; SameSite=Lax`,
  ])
}

/** Returns a cookie; the first of several with one name, because browsers send the one with the longest path first. */
function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  const [, value] = pairs.find(([given]) => given === name) ?? []
  return value || undefined
}
