import type { Operation } from '@reticle/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../call/http-error.ts'
import { apiPrefix } from '../call/request.ts'
import type { GatewaySettings } from '../config.ts'
import { pathOf } from '../operations/serve.ts'
import { algorithms } from './checksum.ts'

/** Headers of the resumable upload protocol (tus.io 1.0.0). */

const version = '1.0.0'
const extensions = 'creation,termination,expiration,checksum'

/**
 * Adds the capabilities of the server to responses: for paths of files, for clients that use the protocol, and for
 * OPTIONS.
 */
export function setProtocolHeaders(
  app: FastifyInstance,
  operations: readonly Operation[],
  { maxUploadBytes }: Pick<GatewaySettings, 'maxUploadBytes'>,
): void {
  const paths = new Map(
    operations.map((one) => [apiPrefix + pathOf(one), one.path.endsWith('/:file_id')]),
  )
  app.addHook('onRequest', (request, reply, done) => {
    const isFile = paths.get(request.routeOptions.url ?? '')
    const isSpoken = request.headers['tus-resumable'] !== undefined || request.method === 'OPTIONS'
    if (isFile || (isFile === false && isSpoken))
      reply.headers({
        'tus-resumable': version,
        'tus-version': version,
        'tus-extension': extensions,
        'tus-max-size': maxUploadBytes,
        'tus-checksum-algorithm': algorithms.join(','),
        'cache-control': 'no-store',
      })
    done()
  })
}

/**
 * Checks the protocol version.
 * @throws HttpError 412 for another version; the header is optional
 */
export function assertVersion({ headers }: FastifyRequest): void {
  const given = headers['tus-resumable']
  if (given !== undefined && given !== version)
    throw new HttpError(412, 'tus_version', `Only version ${version} of the protocol is supported.`)
}

/** Values of the headers of a file. */
export interface FileHeaders {
  filename: string
  expires_date: string
  offset?: number
  length?: number
}

export function setFileHeaders(
  reply: FastifyReply,
  { filename, expires_date, offset, length }: FileHeaders,
): void {
  reply.headers({
    'cache-control': 'no-store',
    'upload-filename': headerText(filename),
    'upload-expires': new Date(expires_date).toUTCString(),
    ...(offset !== undefined && { 'upload-offset': offset }),
    ...(length !== undefined && { 'upload-length': length }),
  })
}

/** Percent-encodes characters that headers cannot contain, which is all but printable ASCII. */
const headerText = (text: string) => text.replace(/[^ -~]+/g, (part) => encodeURIComponent(part))
