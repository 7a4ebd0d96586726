import { DomainError, unauthenticated } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sessionOf, setSession } from '../../call/cookies.ts'
import { agentOf, type RequestCheck } from '../../call/request.ts'
import type { GatewayServices } from '../../ports.ts'
import { speakAs } from '../choose-dialect.ts'
import type { AddressLimit } from '../rates/address-limit.ts'
import {
  type CredentialCache,
  createCredentialCache,
  isUnauthenticated,
} from './credential-cache.ts'
import { authorizationId, type CredentialId, isPassword, sessionId } from './credential-id.ts'
import { assertNotForged } from './csrf.ts'
import { createGoodCredentials, type GoodCredentials } from './good-credentials.ts'

type Identity = Pick<GatewayServices['identity'], 'authenticate'>
type Identified = Awaited<ReturnType<Identity['authenticate']>>

const answersWithinMs = 10_000

/** Successful writes below these paths may change the validity or permissions of a credential. */
const accountPaths = /^\/(?:auth|users|memberships|invitations|organizations)(?:\/|$)/

export interface Authentication {
  identity: Identity
  /** Counts requests without a credential, and failed ones. */
  anonymous: AddressLimit
  good?: GoodCredentials
  trustedOrigins?: readonly string[]
}

/**
 * Creates the authentication check: by the `Authorization` header, or else by the session cookie. Every route except
 * public ones needs a credential; a wrong one is refused with 401 everywhere. Writes to accounts clear the cache
 * behind it.
 */
export function createAuthenticationCheck(
  app: FastifyInstance,
  options: Authentication,
): RequestCheck {
  const { identity, anonymous, trustedOrigins } = options
  const cache = createCredentialCache<Identified>()
  const admit = createAdmission(cache, options)
  app.addHook('onSend', (request, reply, _payload, done) => {
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD'
    // The path of the route is used instead of the URL, which may have many spellings.
    const path = request.routeOptions.config.operation?.path ?? ''
    if (isWrite && reply.statusCode < 400 && accountPaths.test(path)) cache.clear()
    done()
  })
  return async (request, reply, operation) => {
    const { authorization } = request.headers
    if (authorization) {
      const id = authorizationId(authorization, request)
      const lookUp = () => lookUpCredential(identity, request, { authorization })
      const { principal, is_deprecated, dialect } = await admit(request, reply, id, lookUp)
      request.principal = principal
      speakAs(request, dialect)
      if (is_deprecated) reply.header('deprecation', 'true')
      return
    }
    const session = sessionOf(request)
    const lookUp = () => lookUpCredential(identity, request, { session })
    const isNeeded = operation.access !== 'anyone'
    const found =
      session &&
      (await admit(request, reply, sessionId(session), lookUp).catch(orAnonymous(isNeeded)))
    if (session && found) {
      request.principal = found.principal
      assertNotForged(request, session, trustedOrigins)
      if (found.is_renewed) setSession(request, reply, session)
    } else if (isNeeded) {
      anonymous.count(request, reply)
      throw unauthenticated()
    }
  }
}

/** On public routes, a session that has expired or may not be looked up now counts as an anonymous caller. */
const orAnonymous = (isNeeded: boolean) => (thrown: unknown) => {
  if (isNeeded || !isRefused(thrown)) throw thrown
  return undefined
}

/**
 * Creates the lookup of credentials. A credential that is not known to be good is first counted as an anonymous
 * request of its network, and the count is reverted when it was right: guesses reach the limit before they cost a
 * hash or a query, and valid credentials are free. A good credential is accepted even when other clients of its
 * network have exhausted the limit.
 */
function createAdmission(
  cache: CredentialCache<Identified>,
  { anonymous, good = createGoodCredentials() }: Authentication,
) {
  const countFirst = (request: FastifyRequest, reply: FastifyReply, id: CredentialId) => {
    const pending = cache.find(id)
    const isUsedUp = anonymous.isUsedUp(request)
    const isAdmitted = isUsedUp ? good.isAdmitted(id) : good.has(id)
    const isShared = pending !== undefined && !(isUsedUp && isPassword(id))
    if (!isAdmitted && !isShared) anonymous.count(request, reply)
    return pending
  }
  const judge = (request: FastifyRequest, reply: FastifyReply, id: CredentialId) => ({
    found(identified: Identified) {
      good.add(id)
      anonymous.uncount(request, reply)
      return identified
    },
    failed(thrown: unknown): never {
      if (isUnauthenticated(thrown)) {
        good.delete(id)
        anonymous.count(request, reply) // also when it is cached as wrong
      }
      if (!isRefused(thrown)) anonymous.uncount(request, reply)
      throw thrown
    },
  })

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    id: CredentialId,
    lookUp: () => Promise<Identified>,
  ): Promise<Identified> => {
    const pending = countFirst(request, reply, id)
    const { found, failed } = judge(request, reply, id)
    return (pending ?? cache.keep(id, lookUp())).then(found, failed)
  }
}

const isRefused = (thrown: unknown) => isUnauthenticated(thrown) || isThrottled(thrown)
const isThrottled = (thrown: unknown) => thrown instanceof DomainError && thrown.kind === 'too_many'

type Credential = { authorization: string } | { session: string | undefined }

/** The lookup is not bound to this request, because others with the same credential share its result. */
function lookUpCredential(identity: Identity, request: FastifyRequest, credential: Credential) {
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
