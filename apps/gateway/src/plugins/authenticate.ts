import { unauthenticated } from '@reticle/kit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../ports.ts'
import type { Check } from '../request.ts'
import { credentialCache } from './credential-cache.ts'

type Identity = Pick<Services['identity'], 'authenticate'>
type Identified = Awaited<ReturnType<Identity['authenticate']>>

const answersWithinMs = 10_000

/** Successful writes below these paths may change what a credential is worth (`spec/api-workspace.md` 2.1). */
const accountPaths = /^\/(?:auth|users|memberships|invitations|organizations)(?:\/|$)/

/**
 * Who is calling. Every row but those for `anyone` needs a credential; one that is sent and wrong is 401 everywhere.
 * Returns the check; the cache behind it is emptied by writes to accounts.
 */
export function authentication(app: FastifyInstance, identity: Identity): Check {
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
    if (!authorization) {
      if (operation.access === 'anyone') return
      throw unauthenticated()
    }
    const ask = () => identify(identity, request, authorization)
    const { principal, is_deprecated } = await cache.get(authorization, ask)
    request.principal = principal
    if (is_deprecated) reply.header('deprecation', 'true')
  }
}

/** Not bound to this request's end: others with the same credential wait for the answer too. */
function identify(identity: Identity, request: FastifyRequest, authorization: string) {
  const context = {
    principal: null,
    request_id: request.id,
    traceparent: request.work?.traceparent,
    deadline: Date.now() + answersWithinMs,
    signal: new AbortController().signal,
  }
  return identity.authenticate({ authorization, address: request.ip }, context)
}
