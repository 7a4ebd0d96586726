import cors, { type FastifyCorsOptions } from '@fastify/cors'
import { notFound } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Headers that pages of other origins may send and read. */

const sent = [
  'authorization',
  'content-type',
  'x-organization',
  'x-csrftoken',
  'x-request-id',
  'upload-offset',
  'upload-length',
  'upload-metadata',
  'upload-checksum',
  'tus-version',
  'tus-resumable',
  'upload-start',
  'upload-finish',
  'upload-multiple',
  'if-match',
  'if-none-match',
  'if-range',
  'range',
  'prefer',
  'idempotency-key',
]

const read = [
  'X-Service-Version',
  'X-Request-Id',
  'X-Error-Code',
  'X-Checksum',
  'X-Updated-Date',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Location',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Filename',
  'Upload-Expires',
  'Tus-Resumable',
  'Tus-Version',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Checksum-Algorithm',
  'Content-Range',
  'ETag',
  'Link',
  'Deprecation',
  'Content-Disposition',
  'Idempotency-Replayed',
]

const toThose: FastifyCorsOptions = {
  credentials: true,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: sent,
  exposedHeaders: read,
  maxAge: 600,
  strictPreflight: false,
  preflightContinue: true, // the OPTIONS route responds: 204 with Allow, 404 for unknown paths
}

/** Adds CORS headers to errors before routing, when no hook has run, so that the page can read the error. */
export function setCorsHeaders(
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
): void {
  if (origin === undefined || !origins.includes(origin)) return
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': read.join(', '),
  })
}

/**
 * Allows pages of the configured origins to call with their users' cookies. Other origins get no headers, so browsers
 * block their access; clients other than browsers do not use these headers.
 */
export async function allowOrigins(
  app: FastifyInstance,
  origins: readonly string[],
): Promise<void> {
  if (origins.length === 0) return
  await app.register(cors, {
    delegator: (request: FastifyRequest, decide) => {
      const { origin } = request.headers
      const isAllowed = origin !== undefined && origins.includes(origin)
      const preflight = request.headers['access-control-request-method'] !== undefined
      decide(null, isAllowed ? { ...toThose, origin, preflight } : { origin: false })
    },
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const isNowhere = request.method === 'OPTIONS' && request.routeOptions.url === '*'
    done(isNowhere ? notFound() : undefined) // the route of the plugin itself, which matches every path
  })
}
