import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Cookies of a session: `spec/api-workspace.md` 2.1, 2.2; `spec/client-compat.md` 2.8. */

const sessionName = 'sessionid'
const csrfName = 'csrftoken'
const lifeSeconds = 14 * 86_400

/** The value of the session's cookie; nothing where none was sent. */
export const sessionOf = (request: FastifyRequest) => cookieOf(request, sessionName)

/** What scripts of our own pages read and send back in `X-CSRFToken`. */
export const csrfOf = (request: FastifyRequest) => cookieOf(request, csrfName)

/** It belongs to one session, so that nobody plants one of their own in somebody's browser. */
export const csrfFor = (session: string) => hash('sha256', `${csrfName} ${session}`).slice(0, 32)

/** Gives the browser a session, or the one it has a longer life. */
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

/** A widespread client loses all cookies where one does not end in an attribute with a value, or has a date with a comma. */
function setBoth({ protocol }: FastifyRequest, reply: FastifyReply, values: Values): void {
  const { session, csrf, seconds } = values
  const secure = protocol === 'https' ? '; Secure' : ''
  const common = `Path=/; Max-Age=${seconds}`
  reply.header('set-cookie', [
    `${sessionName}=${session}; ${common}; HttpOnly${secure}; SameSite=Lax`,
    `${csrfName}=${csrf}; ${common}${secure}; SameSite=Lax`,
  ])
}

/** Of cookies with one name the first counts: browsers send that of the longest path first. */
function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  const [, value] = pairs.find(([given]) => given === name) ?? []
  return value || undefined
}
