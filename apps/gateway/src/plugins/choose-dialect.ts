import type { FastifyRequest } from 'fastify'
import type { Dialect } from '../call/dialect.ts'
import { dialects } from '../dialects/all.ts'
import { negotiateMediaType, readAccept } from './accept.ts'

/** Determines the dialect of a request (docs/spec/dialect.md#mount). */

/** Optional scheme and host of an absolute URL (RFC 9112 3.2.2), the mount of a dialect, and the remaining path. */
const mounted = /^((?:[A-Za-z][\w+.-]*:\/\/[^/?#]*)?)(\/as\/([a-z]+))(?![^/?#])\/?(.*)$/s

/** Removes the mount of a dialect from a URL, because routes do not contain it. */
export function withoutMount(url: string): string {
  const [, origin, , name = '', rest] = mounted.exec(url) ?? []
  return dialects.has(name) ? `${origin}/${rest}` : url
}

/** Names of dialects by host name. */
export type DialectHosts = ReadonlyMap<string, string>

/**
 * Sets the dialect of a request by its mount, its host or its media types. The access token is the last selector and
 * is applied after authentication: `speakAs`.
 */
export function chooseDialect(request: FastifyRequest, hosts: DialectHosts): void {
  const { originalUrl, hostname, headers } = request
  const [, , mount = '', name = ''] = mounted.exec(originalUrl) ?? []
  const byMount = dialects.get(name)
  if (byMount) request.mount = mount
  const byHost = hosts.size > 0 ? hosts.get(hostname.toLowerCase()) : undefined
  speak(request, byMount ?? dialects.get(byHost ?? '') ?? byMediaType(headers))
}

/** Sets the dialect of the access token unless another selector applied. */
export function speakAs(request: FastifyRequest, name: string | undefined): void {
  if (!request.dialect && name !== undefined) speak(request, dialects.get(name))
}

/** Errors also get the media type of the dialect from here on. */
function speak(request: FastifyRequest, dialect: Dialect | undefined): void {
  if (!dialect) return
  request.dialect = dialect
  request.answerType = dialect.mediaType
}

/** Negotiates `Accept` only when it names a dialect. */
function byMediaType({ accept = '', 'content-type': sent = '' }: FastifyRequest['headers']) {
  const asked = readAccept(accept)?.toLowerCase() ?? ''
  const type = sent.toLowerCase().split(';', 1)[0]?.trim()
  return [...dialects.values()].find(({ mediaType }) => {
    if (type === mediaType) return true
    return asked.includes(mediaType) && negotiateMediaType(accept)?.toLowerCase() === mediaType
  })
}
