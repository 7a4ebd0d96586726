import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * Returns true if a server on this host or address accepts connections from its own machine only. Other names than
 * localhost count as false.
 */
export function isLoopback(host: string): boolean {
  const address = host.trim().replace(/^\[|\]$/g, '')
  const family = isIP(address)
  if (family === 0) return /^localhost\.?$/i.test(address)
  return loopback.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
