import { tables } from '@reticle/contracts'
import type { Operation } from '@reticle/contracts/api/operation'
import { keyParams, login, signOut } from '@reticle/contracts/rest/auth'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { clearSession, csrfOf, sessionOf, setSession } from '../call/cookies.ts'
import { contextOf } from '../call/request.ts'
import { createInputReader } from '../operations/read.ts'
import { pathOf } from '../operations/serve.ts'
import type { GatewayPorts } from '../ports.ts'
import { presentResult } from '../responses/present.ts'

type Ports = Pick<GatewayPorts, 'services' | 'settings'>
type Answer = (
  input: Record<string, unknown>,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>

const signInInput = z.object({ body: login })

/** Serves sign-in and sign-out, which set and clear the session cookies. */
export function serveSession(api: FastifyInstance, { services, settings }: Ports): void {
  const { identity } = services
  const serve = (operation: Operation, answer: Answer) => {
    const read = createInputReader(operation, settings)
    api.post(pathOf(operation), { config: { operation } }, async (request, reply) => {
      const input = await read(request)
      return presentResult(operation, request, reply, await answer(input, request, reply))
    })
  }

  serve(tables.identity.login, async (input, request, reply) => {
    const { body } = signInInput.parse(input)
    const { key, session } = await identity.signIn({ body }, contextOf(request))
    setSession(request, reply, session)
    return { key }
  })

  serve(tables.identity.logout, async (_input, request, reply) => {
    const context = { ...contextOf(request), credential: request.headers.authorization }
    const session = signOut.safeParse({ session: sessionOf(request) }).data?.session
    const answer = await identity.signOut({ session }, context)
    if (sessionOf(request) ?? csrfOf(request)) clearSession(request, reply)
    return answer
  })

  serveEmailLink(api, { services, settings })
}

/** Serves the link in an email, which a browser opens: the result is shown by the page to which it redirects. */
function serveEmailLink(api: FastifyInstance, { services, settings }: Ports): void {
  const operation = tables.identity.followEmailLink
  const read = createInputReader(operation, settings)
  const config = { operation, ignoresAccept: true }
  api.get(pathOf(operation), { config }, async (request, reply) => {
    const input = keyParams.parse(await read(request))
    const { location } = await services.identity.confirmEmail(input, contextOf(request))
    return reply.header('cache-control', 'no-store').redirect(location, 302)
  })
}
