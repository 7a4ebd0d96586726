import { apiVersion } from '../generated/rows.ts'

/** Options of a client. */
export interface ClientOptions {
  /** URL of the server: `https://reticle.example.org`, with or without `/api`. */
  url: string
  /** Access token, sent as `Authorization: Token`. */
  token?: string
  basic?: { username: string; password: string }
  /** Uses the session cookies of the browser, in a page of the same site. */
  cookies?: boolean
  /** Slug of the organization of calls; `''` for the personal workspace. */
  organization?: string
  /** Limit on retries of calls that can be repeated; default 4. */
  retries?: number
  /** Replaces the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch
  user_agent?: string
  /** Headers of every call. They override those of the client, for example to select another dialect. */
  headers?: Readonly<Record<string, string>>
}

/** Resolved options of a client. */
export interface ClientSettings {
  /** URL without a trailing slash. */
  base: string
  headers: Readonly<Record<string, string>>
  /** Whether cookies authenticate the calls. */
  cookies: boolean
  retries: number
  fetch: typeof globalThis.fetch
}

/** True in pages and workers of a browser, where bodies cannot be streams and some headers cannot be set. */
export const isBrowser = 'document' in globalThis || 'importScripts' in globalThis

const ownName = `reticle-sdk/${apiVersion}`

/** Resolves options. @throws TypeError for contradicting options or an invalid URL */
export function settingsOf(options: ClientOptions): ClientSettings {
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

/** Encodes as Base64 of UTF-8 (RFC 7617). */
function encoded({ username, password }: { username: string; password: string }): string {
  return toBase64(new TextEncoder().encode(`${username}:${password}`))
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/**
 * Returns the part of a link below the root of the API. Links contain the host name that the service knows, and
 * credentials must only be sent to the host of the client.
 */
export function pathOf(link: string): string {
  const { pathname, search } = new URL(link, 'http://any/')
  const at = pathname.indexOf('/api/')
  return (at < 0 ? pathname : pathname.slice(at + '/api'.length)) + search
}
