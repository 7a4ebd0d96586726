import type { Operation } from '@reticle/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewaySettings } from '../config.ts'
import { HttpError } from '../http-error.ts'
import { apiPrefix } from '../request.ts'
import { pathOf } from '../serve.ts'
import { algorithms } from './checksum.ts'

/** What answers of the protocol of resumable uploads (tus.io 1.0.0) say about it: `spec/api-annotations.md` 2.4. */

const version = '1.0.0'
const extensions = 'creation,termination,expiration,checksum'

/** Shows on these paths what this server can: to whom speaks the protocol, on paths of files, and to OPTIONS. */
export function showProtocol(
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

/** @throws HttpError 412 to another version; clients that name none are not asked for it */
export function assertVersion({ headers }: FastifyRequest): void {
  const given = headers['tus-resumable']
  if (given !== undefined && given !== version)
    throw new HttpError(412, 'tus_version', `Only version ${version} of the protocol is supported.`)
}

/** Of a file. */
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

/** Headers carry printable ASCII; other characters are written as in addresses. */
const headerText = (text: string) => text.replace(/[^ -~]+/g, (part) => encodeURIComponent(part))
