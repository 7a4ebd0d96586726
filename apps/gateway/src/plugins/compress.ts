import { pipeline, Readable } from 'node:stream'
import { constants, createGzip, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Minimum size in bytes of a compressed body; shorter ones gain nothing. */
const least = 200

/** Media types to compress. Images and archives already are, and CVAT clients do not decode results of requests. */
const packable = /^(?:application\/(?:[\w.+-]+\+)?json|application\/vnd\.oai\.openapi|text\/html)/

/**
 * Compresses responses for clients that accept it. The entity tag of a record names its state and stays unchanged,
 * because clients send it back in `If-Match`.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isCompressible(request, reply)) return done(null, payload)
    if (payload instanceof Readable) {
      const packed = createGzip({ level: constants.Z_BEST_SPEED })
      pipeline(payload, packed, () => undefined) // a failure of either stream ends the other
      return done(null, markCompressed(reply, packed))
    }
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isText || Buffer.byteLength(payload) < least) return done(null, payload)
    gzip(payload, (error, packed) => {
      if (error) done(error)
      else done(null, markCompressed(reply, packed))
    })
  })
}

function isCompressible({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  if (method === 'HEAD' || reply.statusCode === 204 || reply.statusCode === 304) return false
  if (reply.hasHeader('content-disposition') || reply.hasHeader('content-encoding')) return false
  return packable.test(String(reply.getHeader('content-type'))) && acceptsGzip(headers)
}

function markCompressed<P>(reply: FastifyReply, packed: P): P {
  const vary = String(reply.getHeader('vary') ?? '')
  reply.removeHeader('content-length')
  reply.headers({ 'content-encoding': 'gzip', vary: `${vary}, Accept-Encoding` })
  return packed
}

/** Returns whether gzip is named, or matched by `*`, without a quality of 0 (RFC 9110 12.5.3). */
export function acceptsGzip({ 'accept-encoding': given }: FastifyRequest['headers']): boolean {
  const codings = String(given ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
  const found =
    codings.find(([name]) => name === 'gzip' || name === 'x-gzip') ??
    codings.find(([name]) => name === '*')
  return found !== undefined && !/^q=0(?:\.0*)?$/.test(found[1] ?? '')
}
