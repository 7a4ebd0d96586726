import type { JsonObject } from './schemas.ts'

/** Response headers that clients use, as components. */

const text = (description: string) => ({ description, schema: { type: 'string' } })
const count = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } })

export const headerComponents: Record<string, JsonObject> = {
  'X-Request-Id': text('Id of this call, also in the log of the server'),
  'X-Error-Code': text('Stable name of the error'),
  'X-RateLimit-Limit': count('Calls that the caller may make until the limit resets'),
  'X-RateLimit-Remaining': count('Calls that are left'),
  'X-RateLimit-Reset': count('When the limit resets, in Unix seconds'),
  'Retry-After': count('Seconds to wait before a retry'),
  'WWW-Authenticate': text('Token'),
  ETag: text('Entity tag, for If-Match and If-None-Match'),
  Location: text('URL of the new object or of the redirect'),
  'Content-Range': text('Range of the bytes in the file'),
  'Upload-Offset': count('Bytes of the file that are stored'),
  'Upload-Expires': text('Time at which the upload expires without further bytes'),
}

export const headersOf = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
