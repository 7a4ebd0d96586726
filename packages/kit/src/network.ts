import ipaddr from 'ipaddr.js'

/** `203.0.113.7:50123` or `[2001:db8::1]:50123`: some proxies add the port of the client, which changes with every connection. */
const withPort = /^(?:\[([^\]]{2,64})\]|([\d.]{7,15})):\d{1,5}$/

/** All texts that hold no address share one network, so that invented ones are not counted apart. */
const unknown = 'unknown'

/**
 * The network that calls of one client are counted under: an IPv4 address itself, the /64 of an IPv6 address, since one
 * subscriber has at least that many. An IPv4 address that is written as IPv6 (`::ffff:203.0.113.7`) is the IPv4 address.
 */
export function networkOf(address: string): string {
  const [, bracketed, dotted] = withPort.exec(address) ?? []
  const text = bracketed ?? dotted ?? address
  if (text.length > 64 || !ipaddr.isValid(text)) return unknown
  const parsed = ipaddr.process(text)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const prefix = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${prefix.join(':')}::/64`
}
