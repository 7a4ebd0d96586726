import ipaddr from 'ipaddr.js'

/**
 * An address with a port: `203.0.113.7:50123` or `[2001:db8::1]:50123`. Some proxies add the port of the client, which
 * changes with every connection.
 */
const withPort = /^(?:\[([^\]]{2,64})\]|([\d.]{7,15})):\d{1,5}$/

/** Network of every text without a valid address, so that invented texts are not counted separately. */
const unknown = 'unknown'

/**
 * Returns the network under which calls of a client are counted: an IPv4 address itself,
 * or the /64 of an IPv6 address, since a subscriber has at least that many addresses. An
 * IPv4 address in IPv6 form (`::ffff:203.0.113.7`) counts as IPv4.
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
