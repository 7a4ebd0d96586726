import { apiVersion } from '@reticle/contracts/openapi'
import { DomainError } from '@reticle/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { headersTooLarge } from '../http-error.ts'

/** What an answer depends on, beside the address. */
export const vary = 'Accept, Authorization, Cookie, Origin, X-Organization'

/** Headers of every answer (`spec/api-workspace.md` 1.3). */
export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ 'x-service-version': apiVersion, 'x-request-id': request.id, vary })
  if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
}

const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Links are made from `Host`, so there is exactly one and it is one (RFC 9112 3.2). */
export function requireHost(request: FastifyRequest): void {
  const { httpVersion, rawHeaders } = request.raw
  const sent = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  const isMissing = sent.length === 0 && httpVersion !== '1.0'
  if (isMissing || sent.length > 1 || (sent.length === 1 && !hostForm.test(request.host)))
    throw new DomainError('invalid', 'Exactly one valid Host header is needed.')
}

export const mostHeaders = 1000

/** Node reads 2,000 and drops the rest without a word: what was dropped may be the one that mattered. */
export function limitHeaders({ raw }: FastifyRequest): void {
  if (raw.rawHeaders.length / 2 > mostHeaders) throw headersTooLarge()
}
