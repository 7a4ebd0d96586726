import type { JsonObject } from './schemas.ts'

/** Response headers that clients use, as components. */

const text = (description: string) => ({ description, schema: { type: 'string' } })
const count = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } })

export const headerComponents: Record<string, JsonObject> = {
  'X-Request-Id': text('Names this call, also in the log of the server'),
  'X-Error-Code': text('What went wrong, as a stable name'),
  'X-RateLimit-Limit': count('Calls that the caller may make until the limit resets'),
  'X-RateLimit-Remaining': count('Calls that are left'),
  'X-RateLimit-Reset': count('When the limit resets, in Unix seconds'),
  'Retry-After': count('Seconds after which it is worth trying again'),
  'WWW-Authenticate': text('Token'),
  ETag: text('Names the state, for If-Match and If-None-Match'),
  Location: text('Where to go on, or where the new object is'),
  'Content-Range': text('Which bytes of the file these are'),
  'Upload-Offset': count('Bytes of the file that are stored'),
  'Upload-Expires': text('When the file is given up, if nothing more comes'),
}

export const headersOf = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
