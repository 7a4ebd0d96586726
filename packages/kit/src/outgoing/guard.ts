import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isMetadataAddress, isMetadataName } from './metadata.ts'

/**
 * Where the service may connect to on behalf of a user (`reliability.md` 10). An address is looked at three times: as a
 * literal in the URL, as the answer of the resolver, and on the open socket. The name alone is never trusted. Metadata services of
 * clouds are refused before any list of allowed networks is consulted.
 */
export interface Guard {
  /** Networks that are allowed although they are not public. */
  nets: readonly Net[]
  allowHttp: boolean
  /** Names that only mean something inside are left to the look at what they resolve to. */
  allowInsideNames?: boolean
}

/** A parsed CIDR block: its first address and the length of its prefix. */
export type Net = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The URL may not be asked: the text says what is wrong and what would be right. */
export class TargetRefused extends Error {}

/** The name or socket led to an address that is not allowed. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED'

  constructor() {
    super('target address is not allowed')
  }
}

export const longestUrl = 8192 // characters
const insideNames = ['localhost', 'local', 'internal', 'svc', 'cluster.local']

/**
 * Reads CIDR blocks such as `10.0.0.0/8` and `fd00::/8`.
 *
 * @throws Error naming the first that is none
 */
export function readNets(blocks: readonly string[]): Net[] {
  return blocks.map((block) => {
    if (!ipaddr.isValidCIDR(block)) throw new Error(`"${block}" is no network: 10.0.0.0/8 is one`)
    return ipaddr.parseCIDR(block)
  })
}

/**
 * Reads the address of a receiver by the rules that need no resolver: scheme, length, no user, no fragment, no literal
 * that is not allowed, no name that only means something inside (`spec/api-annotations.md` 4.6).
 *
 * @throws TargetRefused
 */
export function readTarget(text: string, guard: Guard): URL {
  const url = parse(text, guard)
  const host = hostOf(url)
  if (url.username || url.password)
    throw new TargetRefused('The URL may not hold a user or a password.')
  if (text.includes('#')) throw new TargetRefused('The URL may not hold a fragment (#).')
  if (isMetadataName(host)) throw new TargetRefused(`The name ${host} is not reachable from here.`)
  if (!guard.allowInsideNames && isInsideName(host))
    throw new TargetRefused(`The name ${host} is not reachable from outside.`)
  if (ipaddr.isValid(host) && !isAllowed(host, guard.nets))
    throw new TargetRefused('The target address is not allowed: use a public one.')
  return url
}

function parse(text: string, { allowHttp }: Guard): URL {
  if (text.length > longestUrl)
    throw new TargetRefused(`The URL may have at most ${longestUrl} characters.`)
  const scheme = allowHttp ? /^https?:\/\/[^/\\]/i : /^https:\/\/[^/\\]/i
  // The URL parser drops tabs and line ends and mends slashes: what is stored would not be what is asked.
  const isPlain = !/[\s\p{Cc}\\]/u.test(text) && scheme.test(text)
  if (!isPlain || !URL.canParse(text))
    throw new TargetRefused(
      `Enter a valid URL that begins with https://${allowHttp ? ' or http://' : ''}.`,
    )
  return new URL(text)
}

/** Host without the brackets of IPv6 and without the dots of a rooted name; digits in any spelling are an address by now. */
function hostOf({ hostname }: URL): string {
  let end = hostname.length
  while (hostname[end - 1] === '.') end -= 1
  return hostname.slice(0, end).replace(/^\[|\]$/g, '')
}

const isInsideName = (host: string) =>
  insideNames.some((name) => host === name || host.endsWith(`.${name}`))

/** All that is handed out of IPv6 begins with 001; the rest holds old forms such as `::127.0.0.1`, spelt `::7f00:1`. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const isGlobal = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
  address instanceof ipaddr.IPv4 || address.match(globalUnicast)

/**
 * Returns whether this is a public unicast address, or in one of the allowed networks. A mapped IPv4 address counts as IPv4.
 * No network makes the metadata service of a cloud allowed.
 */
export function isAllowed(address: string, nets: readonly Net[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const real = ipaddr.process(address)
  if (isMetadataAddress(real)) return false
  if (nets.some(([base, bits]) => base.kind() === real.kind() && real.match([base, bits])))
    return true
  return real.range() === 'unicast' && isGlobal(real)
}

/** A resolver that keeps what is allowed; nothing left is `AddressRefused`. What it answers is what is connected to. */
export function guardedLookup(
  nets: readonly Net[],
  lookup: LookupFunction = systemLookup,
): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, [])
      const all = Array.isArray(found) ? found : []
      const allowed = all.filter(({ address }) => isAllowed(address, nets))
      const [first] = allowed
      if (!first) return done(new AddressRefused(), [])
      return options.all ? done(null, allowed) : done(null, first.address, first.family)
    })
  }
}
