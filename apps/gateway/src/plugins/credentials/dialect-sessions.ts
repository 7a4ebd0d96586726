import type { Operation } from '@reticle/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { sessionOf, setSession } from '../../call/cookies.ts'
import { contextOf } from '../../call/request.ts'
import type { GatewayServices } from '../../ports.ts'

/** A request to which a service has responded. */
export interface AnsweredCall {
  operation: Operation
  input: object
  answer: unknown
  request: FastifyRequest
  reply: FastifyReply
}

export type AfterCall = (call: AnsweredCall) => Promise<void>

const registration = z.object({ body: z.object({ username: z.string(), password1: z.string() }) })
const account = z.object({ key: z.string() }) // null when an email address must be verified first

/**
 * Creates the sessions that clients of a dialect expect: after a registration, and renewed cookies after a password
 * change.
 */
export function createDialectSessions({ identity }: Pick<GatewayServices, 'identity'>): AfterCall {
  return async ({ operation, input, answer, request, reply }) => {
    if (operation.name === 'changePassword') renewSession(request, reply)
    const isOwnAccount = operation.name === 'register' && !request.principal
    if (!isOwnAccount || !account.safeParse(answer).success) return
    const { username, password1: password } = registration.parse(input).body
    const { session } = await identity.signIn({ body: { username, password } }, contextOf(request))
    setSession(request, reply, session)
  }
}

function renewSession(request: FastifyRequest, reply: FastifyReply): void {
  const session = sessionOf(request)
  const isBySession = request.principal?.session_id !== undefined
  if (session !== undefined && isBySession) setSession(request, reply, session)
}
