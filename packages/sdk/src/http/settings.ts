import { apiVersion } from '../generated/rows.ts'

/** How a client is made. */
export interface ClientOptions {
  /** Where Reticle is: `https://reticle.example.org`, with or without `/api`. */
  url: string
  /** An access token, sent as `Authorization: Token`. */
  token?: string
  basic?: { username: string; password: string }
  /** In a page of the same site: the session's cookies, which the browser keeps. */
  cookies?: boolean
  /** The slug of the organization that calls are about; `''` for the personal workspace. */
  organization?: string
  /** How often a call that may be repeated is repeated; 4. */
  retries?: number
  /** Instead of the platform's own. */
  fetch?: typeof globalThis.fetch
  user_agent?: string
  /** Of every call, before the client's own: for a service that wants to be asked in other words. */
  headers?: Readonly<Record<string, string>>
}

/** The same, as calls need it. */
export interface Settings {
  /** Without a slash at its end. */
  base: string
  headers: Readonly<Record<string, string>>
  /** Are cookies what tells who calls? */
  cookies: boolean
  retries: number
  fetch: typeof globalThis.fetch
}

/** In a page or a worker of a browser, where bodies cannot be streams and some headers are not ours to set. */
export const isBrowser = 'document' in globalThis || 'importScripts' in globalThis

const ownName = `reticle-sdk/${apiVersion}`

/** @throws TypeError for options that contradict one another or make no address */
export function settingsOf(options: ClientOptions): Settings {
  const { url, token, basic, cookies = false, organization, retries = 4, user_agent } = options
  const ways = [token !== undefined, basic !== undefined, cookies].filter(Boolean)
  if (ways.length > 1) throw new TypeError('Give one of token, basic and cookies, not several.')
  const agent = user_agent ?? (isBrowser ? undefined : ownName)
  return {
    base: baseOf(url),
    headers: {
      accept: 'application/vnd.service+json',
      ...(agent && { 'user-agent': agent }),
      ...(token !== undefined && { authorization: `Token ${token}` }),
      ...(basic && { authorization: `Basic ${encoded(basic)}` }),
      ...(organization !== undefined && { 'x-organization': organization }),
      ...options.headers,
    },
    cookies,
    retries,
    fetch: options.fetch ?? ((...given) => globalThis.fetch(...given)),
  }
}

function baseOf(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (!address || !/^https?:$/.test(address.protocol))
    throw new TypeError(`url has to be an address such as https://reticle.example.org, not ${url}`)
  if (address.username !== '' || address.search !== '' || address.hash !== '')
    throw new TypeError('url has to be an address alone: put the credential into token or basic.')
  const path = address.pathname.replace(/(?<!\/)\/+$/, '')
  return `${address.origin}${path}${path.endsWith('/api') ? '' : '/api'}`
}

/** Base64 of UTF-8 (RFC 7617). */
function encoded({ username, password }: { username: string; password: string }): string {
  return toBase64(new TextEncoder().encode(`${username}:${password}`))
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/**
 * What of a link is below the root of the API: links name the host that the service believes to be, and a credential is sent to
 * no host but the client's own.
 */
export function pathOf(link: string): string {
  const { pathname, search } = new URL(link, 'http://any/')
  const at = pathname.indexOf('/api/')
  return (at < 0 ? pathname : pathname.slice(at + '/api'.length)) + search
}
