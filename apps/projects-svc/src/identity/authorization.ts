import { unauthenticated } from '@reticle/kit/call/errors'

/** Parsed `Authorization` header. */
export type Authorization =
  | { kind: 'access' | 'legacy'; token: string }
  | { kind: 'basic'; username: string; password: string }

const accessToken = /^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}$/
const legacyToken = /^[0-9a-f]{40}$/i

export const invalidToken = () => unauthenticated('Invalid token.')
const invalidBasic = (why: string) => unauthenticated(`Invalid basic header. ${why}`)

/**
 * Parses the header. The scheme is case-insensitive; `Token` and `Bearer` both accept both kinds of token, which
 * differ in their form.
 *
 * @throws DomainError unauthenticated when it contains no credential of a known form
 */
export function readAuthorization(header: string): Authorization {
  const [, scheme = '', rest = ''] = header.trim().match(/^(\S+)\s*(.*)$/s) ?? []
  switch (scheme.toLowerCase()) {
    case 'token':
    case 'bearer':
      return readToken(rest)
    case 'basic':
      return readBasic(rest)
    default:
      throw unauthenticated()
  }
}

function readToken(token: string): Authorization {
  if (accessToken.test(token)) return { kind: 'access', token }
  if (legacyToken.test(token)) return { kind: 'legacy', token: token.toLowerCase() }
  throw invalidToken()
}

/**
 * RFC 7617: base64 of `<user>:<password>` in UTF-8. The first colon ends the user name; the password may contain
 * colons.
 */
function readBasic(encoded: string): Authorization {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded))
    throw invalidBasic('Credentials not correctly base64 encoded.')
  const text = decode(Buffer.from(encoded, 'base64'))
  const [, username, password] = text.match(/^([^:\0]+):(.*)$/s) ?? []
  if (username === undefined || password === undefined)
    throw invalidBasic('Expected <user name or e-mail>:<password>.')
  return { kind: 'basic', username, password }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalidBasic('Credentials are not UTF-8.')
  }
}
