import type { FastifyRequest } from 'fastify'
import { negotiate, readAccept } from '../plugins/accept.ts'
import { dialects } from './all.ts'
import type { Dialect } from './dialect.ts'

/** Where a request says which dialect it speaks: `spec/api-workspace.md` 9, "Choosing it". */

/** Scheme and host of a whole address (RFC 9112 3.2.2), the part below which a dialect is spoken, and the rest. */
const mounted = /^((?:[A-Za-z][\w+.-]*:\/\/[^/?#]*)?)(\/as\/([a-z]+))(?![^/?#])\/?(.*)$/s

/** The same address without the mount of a dialect; routes do not know it. */
export function withoutMount(url: string): string {
  const [, origin, , name = '', rest] = mounted.exec(url) ?? []
  return dialects.has(name) ? `${origin}/${rest}` : url
}

/** Names of dialects by the names of hosts. */
export type DialectHosts = ReadonlyMap<string, string>

/**
 * Notes what a request speaks, by the place it was sent to or else by its media types. The last selector, the access token,
 * is asked when somebody has looked at it: `speakAs`.
 */
export function chooseDialect(request: FastifyRequest, hosts: DialectHosts): void {
  const { originalUrl, hostname, headers } = request
  const [, , mount = '', name = ''] = mounted.exec(originalUrl) ?? []
  const byMount = dialects.get(name)
  if (byMount) request.mount = mount
  const byHost = hosts.size > 0 ? hosts.get(hostname.toLowerCase()) : undefined
  speak(request, byMount ?? dialects.get(byHost ?? '') ?? byMediaType(headers))
}

/** What the access token of a request says, where nothing else did. */
export function speakAs(request: FastifyRequest, name: string | undefined): void {
  if (!request.dialect && name !== undefined) speak(request, dialects.get(name))
}

/** From here on errors are answered under its type, too. */
function speak(request: FastifyRequest, dialect: Dialect | undefined): void {
  if (!dialect) return
  request.dialect = dialect
  request.answerType = dialect.mediaType
}

/** `Accept` is weighed only where it names a dialect at all. */
function byMediaType({ accept = '', 'content-type': sent = '' }: FastifyRequest['headers']) {
  const asked = readAccept(accept)?.toLowerCase() ?? ''
  const type = sent.toLowerCase().split(';', 1)[0]?.trim()
  return [...dialects.values()].find(({ mediaType }) => {
    if (type === mediaType) return true
    return asked.includes(mediaType) && negotiate(accept)?.toLowerCase() === mediaType
  })
}
