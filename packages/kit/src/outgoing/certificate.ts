import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** Certificates for tests. They are created when needed, so that no expiring certificate is checked in. */

export interface Certificate {
  /** Private key in PEM. */
  key: string
  cert: string
}

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const bits = (bytes: Uint8Array) => der(0x03, Buffer.from([0]), bytes)

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
const commonName = oid('550403')
const alternativeNames = oid('551d11')

const nameOf = (text: string) =>
  sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(text)))))

/** Encodes a `GeneralizedTime`: 20260301100000Z. */
const time = (date: Date) =>
  der(0x18, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`))

interface Wanted {
  subject: string
  /** Name and key of the signer. */
  issuer: { name: string; key: KeyObject }
  publicKey: KeyObject
  extensions: Uint8Array[]
  until: Date
}

/**
 * Creates a certificate.
 * @returns the certificate as PEM
 */
function certify({ subject, issuer, publicKey, extensions, until }: Wanted): string {
  const serial = der(0x02, Buffer.from([1]), randomBytes(8))
  const validity = sequence(time(new Date(until.getTime() - 10 * 365 * 86_400_000)), time(until))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    serial,
    ecdsaWithSha256,
    nameOf(issuer.name),
    validity,
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const whole = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, issuer.key)))
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

const isAuthority = sequence(
  oid('551d13'),
  der(0x01, Buffer.from([0xff])), // critical
  der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
)

const extensionOf = (names: Uint8Array[]) =>
  sequence(alternativeNames, der(0x04, sequence(...names)))
const dnsName = (name: string) => der(0x82, Buffer.from(name))
const address4 = (address: string) => der(0x87, Buffer.from(address.split('.').map(Number)))

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Creates a self-signed certificate for a DNS name, valid until `until`. */
export function selfSigned(name: string, until: Date): Certificate {
  const { publicKey, privateKey } = newKeys()
  const issuer = { name, key: privateKey }
  const extensions = [extensionOf([dnsName(name)])]
  const cert = certify({ subject: name, issuer, publicKey, extensions, until })
  return { key: pemOf(privateKey), cert }
}

/** Creates an authority that issues certificates for a DNS name and an IPv4 address each, valid until tomorrow. */
export function newAuthority(name: string) {
  const { publicKey, privateKey } = newKeys()
  const issuer = { name, key: privateKey }
  const until = new Date(Date.now() + 86_400_000)
  const ca = certify({ subject: name, issuer, publicKey, extensions: [isAuthority], until })
  const issue = (host: string, address: string): Certificate => {
    const own = newKeys()
    const extensions = [extensionOf([dnsName(host), address4(address)])]
    const cert = certify({ subject: host, issuer, publicKey: own.publicKey, extensions, until })
    return { key: pemOf(own.privateKey), cert }
  }
  return { ca, issue }
}
