import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { setting } from '../settings/config.ts'
import { isMetadataAddress, isMetadataName } from './metadata.ts'

/**
 * Rules for connections on behalf of a user. An address is checked three times: as a literal in the URL, as the result
 * of the resolver, and on the open socket. A name alone is never trusted. Metadata services of clouds are rejected
 * before the list of allowed networks is consulted.
 */
export interface Guard {
  /** Networks that are allowed although they are not public. */
  nets: readonly Net[]
  allowHttp: boolean
  /** Whether internal names are accepted here and checked only by the addresses they resolve to. */
  allowInsideNames?: boolean
}

/** A parsed CIDR block: its first address and the length of its prefix. */
export type Net = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Error of a URL that is not allowed. The message names the fault and the accepted form. */
export class TargetRefused extends Error {}

/** Error of a name or socket that leads to an address that is not allowed. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED'

  constructor() {
    super('target address is not allowed')
  }
}

export const longestUrl = 8192 // characters
const insideNames = ['localhost', 'local', 'internal', 'svc', 'cluster.local']

/**
 * Parses CIDR blocks such as `10.0.0.0/8` and `fd00::/8`.
 * @throws Error naming the first invalid one
 */
export function readNets(blocks: readonly string[]): Net[] {
  return blocks.map((block) => {
    if (!ipaddr.isValidCIDR(block)) throw new Error(`"${block}" is no network: 10.0.0.0/8 is one`)
    return ipaddr.parseCIDR(block)
  })
}

/** Setting with networks that are allowed although they are not public: CIDR blocks, separated by commas. */
export const netsSetting = setting.list().transform((blocks, context): Net[] => {
  try {
    return readNets(blocks)
  } catch (thrown) {
    context.addIssue(thrown instanceof Error ? thrown.message : 'Invalid networks')
    return z.NEVER
  }
})

/** Formats networks as `readNets` parses them, for messages to other processes. */
export const formatNets = (nets: readonly Net[]): string[] =>
  nets.map(([base, bits]) => `${base}/${bits}`)

/**
 * Parses the address of a receiver by the rules that need no resolver: scheme, length, no user, no fragment, no blocked
 * address literal, no internal name. See docs/spec/webhooks.md#allowed-targets.
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
  // The URL parser drops tabs and line breaks and repairs slashes: the stored URL would differ from the requested one.
  const isPlain = !/[\s\p{Cc}\\]/u.test(text) && scheme.test(text)
  if (!isPlain || !URL.canParse(text))
    throw new TargetRefused(
      `Enter a valid URL that begins with https://${allowHttp ? ' or http://' : ''}.`,
    )
  return new URL(text)
}

/**
 * Returns the host without the brackets of IPv6 and the trailing dots of a rooted name. The URL parser has already
 * converted numbers in any notation to an address.
 */
function hostOf({ hostname }: URL): string {
  let end = hostname.length
  while (hostname[end - 1] === '.') end -= 1
  return hostname.slice(0, end).replace(/^\[|\]$/g, '')
}

const isInsideName = (host: string) =>
  insideNames.some((name) => host === name || host.endsWith(`.${name}`))

/** All assigned IPv6 addresses begin with 001; the rest contains old forms such as `::127.0.0.1`, spelt `::7f00:1`. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const isGlobal = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
  address instanceof ipaddr.IPv4 || address.match(globalUnicast)

/**
 * Returns whether this is a public unicast address, or in one of the allowed networks. A mapped IPv4 address counts as
 * IPv4. The metadata service of a cloud is never allowed.
 */
export function isAllowed(address: string, nets: readonly Net[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const real = ipaddr.process(address)
  if (isMetadataAddress(real)) return false
  if (nets.some(([base, bits]) => base.kind() === real.kind() && real.match([base, bits])))
    return true
  return real.range() === 'unicast' && isGlobal(real)
}

/**
 * Wraps a resolver so that it returns only allowed addresses, to which the connection is then made. If none remains, it
 * fails with `AddressRefused`.
 */
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
