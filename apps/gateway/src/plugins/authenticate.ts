import type { Operation } from '@reticle/contracts'
import { DomainError, unauthenticated } from '@reticle/kit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sessionOf, setSession } from '../cookies.ts'
import { speakAs } from '../dialects/choose.ts'
import type { Services } from '../ports.ts'
import { agentOf, type Check } from '../request.ts'
import { type CredentialCache, credentialCache } from './credential-cache.ts'
import { assertNotForged } from './csrf.ts'

type Identity = Pick<Services['identity'], 'authenticate'>
type Identified = Awaited<ReturnType<Identity['authenticate']>>

const answersWithinMs = 10_000

/** Successful writes below these paths may change what a credential is worth (`spec/api-workspace.md` 2.1). */
const accountPaths = /^\/(?:auth|users|memberships|invitations|organizations)(?:\/|$)/

/**
 * Who is calling: by the `Authorization` header, without one by the cookie of a session. Every row but those for `anyone` needs a credential; one that is sent and wrong is 401 everywhere.
 * Returns the check; the cache behind it is emptied by writes to accounts.
 */
export function authentication(
  app: FastifyInstance,
  identity: Identity,
  trustedOrigins: readonly string[] = [],
): Check {
  const cache = credentialCache<Identified>()
  app.addHook('onSend', (request, reply, _payload, done) => {
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD'
    // The path of the row, not the address: that may be written in many ways.
    const path = request.routeOptions.config.operation?.path ?? ''
    if (isWrite && reply.statusCode < 400 && accountPaths.test(path)) cache.clear()
    done()
  })
  return async (request, reply, operation) => {
    const { authorization } = request.headers
    if (authorization) {
      const ask = () => identify(identity, request, { authorization })
      const { principal, is_deprecated, dialect } = await cache.get(authorization, ask)
      request.principal = principal
      speakAs(request, dialect)
      if (is_deprecated) reply.header('deprecation', 'true')
      return
    }
    const session = sessionOf(request)
    const found = session && (await ofSession({ cache, identity }, request, operation, session))
    if (session && found) {
      request.principal = found.principal
      assertNotForged(request, session, trustedOrigins)
      if (found.is_renewed) setSession(request, reply, session)
    } else if (operation.access !== 'anyone') throw unauthenticated()
  }
}

interface Known {
  cache: CredentialCache<Identified>
  identity: Identity
}

/** A session that has ended is nobody where anyone may call. No header holds a NUL, so that none is taken for a cookie. */
async function ofSession(
  { cache, identity }: Known,
  request: FastifyRequest,
  { access }: Operation,
  session: string,
): Promise<Identified | undefined> {
  try {
    return await cache.get(`cookie\0${session}`, () => identify(identity, request, { session }))
  } catch (thrown) {
    const isEnded = thrown instanceof DomainError && thrown.kind === 'unauthenticated'
    if (isEnded && access === 'anyone') return undefined
    throw thrown
  }
}

type Credential = { authorization: string } | { session: string }

/** Not bound to this request's end: others with the same credential wait for the answer too. */
function identify(identity: Identity, request: FastifyRequest, credential: Credential) {
  const context = {
    principal: null,
    address: request.ip,
    user_agent: agentOf(request),
    request_id: request.id,
    traceparent: request.work?.traceparent,
    deadline: Date.now() + answersWithinMs,
    signal: new AbortController().signal,
  }
  return identity.authenticate({ ...credential, address: request.ip }, context)
}
