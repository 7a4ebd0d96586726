import { apiVersion } from '@reticle/contracts/openapi'
import { DomainError } from '@reticle/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { headersTooLarge } from '../call/http-error.ts'

/** Headers on which a response depends, in addition to the URL. */
export const vary = 'Accept, Authorization, Cookie, Origin, X-Organization'

/** Security headers for browsers; those that only concern documents are left out. */
const protection = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
}

const commonHeaders = { 'x-service-version': apiVersion, vary, ...protection }

/** Sets the headers of every response. */
export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders).header('x-request-id', request.id)
  if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
}

const hostLength = 'host'.length
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Requires exactly one valid `Host`, because links are built from it (RFC 9112 3.2). */
export function requireHost(request: FastifyRequest): void {
  const { httpVersion, rawHeaders } = request.raw
  let sent = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === hostLength && rawHeaders[at]?.toLowerCase() === 'host') sent++
  const isMissing = sent === 0 && httpVersion !== '1.0'
  if (isMissing || sent > 1 || (sent === 1 && !hostForm.test(request.host)))
    throw new DomainError('invalid', 'Exactly one valid Host header is needed.')
}

export const mostHeaders = 1000

/**
 * Limits the number of headers: Node reads 2,000 and silently drops the rest, which could include a security-relevant
 * one.
 */
export function limitHeaders({ raw }: FastifyRequest): void {
  if (raw.rawHeaders.length / 2 > mostHeaders) throw headersTooLarge()
}
