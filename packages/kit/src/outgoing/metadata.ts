import ipaddr from 'ipaddr.js'

/**
 * Metadata services of clouds give credentials of the machine to every program on it. No list of allowed networks can
 * allow them, not even one of an administrator.
 */

/**
 * All link-local addresses: AWS, Azure, Google, Oracle, OpenStack, DigitalOcean (169.254.169.254, fe80::a9fe:a9fe),
 * containers of AWS (169.254.170.2, 169.254.170.23), Tencent (169.254.0.23), Scaleway (169.254.42.42).
 */
const blocks = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32', // AWS: fd00:ec2::254, fd00:ec2::23
  'fd20:ce::/32', // Google: fd20:ce::254
  'fd00:c1::/32', // Oracle: fd00:c1::a9fe:a9fe
  'fd00:42::42/128', // Scaleway
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure
  '192.0.0.192/32', // Oracle, older machines
].map((block) => ipaddr.parseCIDR(block))

const names = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.google.com',
  'metadata.azure.internal',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.service.softlayer.com',
  'api.metadata.cloud.ibm.com',
  'instance-data',
  'instance-data.ec2.internal',
  'rancher-metadata',
])

type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Returns true for the address of a metadata service, also if an IPv6
 * address carries it through a translator or a tunnel.
 */
export function isMetadataAddress(address: Address): boolean {
  const all = address instanceof ipaddr.IPv6 ? [address, ...carriedIpv4(address)] : [address]
  return all.some((one) =>
    blocks.some(([base, bits]) => base.kind() === one.kind() && one.match([base, bits])),
  )
}

/**
 * Returns true for the name of a metadata service.
 * @param host in lower case, without a trailing dot
 */
export const isMetadataName = (host: string): boolean => names.has(host)

const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/32') // with the prefixes for local use, 64:ff9b:1::/48
const sixToFour = ipaddr.IPv6.parseCIDR('2002::/16')
const teredo = ipaddr.IPv6.parseCIDR('2001::/32')

/**
 * Positions of the bytes of an IPv4 address after a NAT64 prefix of 32 to 96 bits (RFC 6052 2.2); byte 8 is skipped.
 */
const nat64Places: readonly (readonly number[])[] = [
  [4, 5, 6, 7],
  [5, 6, 7, 9],
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
]
const lastBytes = [12, 13, 14, 15]

/**
 * Returns the IPv4 addresses that an IPv6 address leads to: at its end
 * (mapped, compatible, translated, ISATAP, NAT64), 6to4 and Teredo.
 */
function carriedIpv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray()
  const at = (places: readonly number[], mask = 0) =>
    new ipaddr.IPv4(places.map((place) => (bytes[place] ?? 0) ^ mask))
  if (address.match(sixToFour)) return [at([2, 3, 4, 5])]
  if (address.match(teredo)) return [at([4, 5, 6, 7]), at(lastBytes, 0xff)]
  if (address.match(nat64)) return nat64Places.map((places) => at(places))
  return endsInIpv4(bytes) ? [at(lastBytes)] : []
}

/**
 * Detects the prefixes of 12 bytes before an IPv4 address: `::`, `::ffff:`, `::ffff:0:`, and the interface identifier
 * of ISATAP in any network.
 */
function endsInIpv4(bytes: readonly number[]): boolean {
  const isZero = (from: number, to: number) => bytes.slice(from, to).every((byte) => byte === 0)
  const isOnes = (from: number, to: number) => bytes.slice(from, to).every((byte) => byte === 0xff)
  if (isZero(0, 12)) return true
  if (isZero(0, 10) && isOnes(10, 12)) return true
  if (isZero(0, 8) && isOnes(8, 10) && isZero(10, 12)) return true
  const isLocalIsatap = bytes[8] === 0 || bytes[8] === 2
  return isLocalIsatap && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
}
