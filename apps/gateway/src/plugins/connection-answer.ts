import { STATUS_CODES } from 'node:http'
import { apiVersion, mediaType } from '@reticle/contracts/openapi'
import type { PublicError } from '../http-error.ts'
import { bodyOf } from './errors.ts'
import { vary } from './headers.ts'

/** Serializes a response for a connection on which the framework cannot send one. It closes the connection. */
export function formatConnectionResponse(failed: PublicError, request_id: string): string {
  const body = JSON.stringify(bodyOf(failed, request_id))
  return [
    `HTTP/1.1 ${failed.status} ${STATUS_CODES[failed.status]}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Error-Code: ${failed.code}`,
    ...(failed.retryAfter === undefined ? [] : [`Retry-After: ${failed.retryAfter}`]),
    `X-Request-Id: ${request_id}`,
    `X-Service-Version: ${apiVersion}`,
    `Vary: ${vary}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
