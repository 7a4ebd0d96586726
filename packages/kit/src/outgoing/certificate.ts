import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Certificates for receivers in tests, signed by themselves and made when needed: none is checked in that could expire. */

export interface Certificate {
  /** PEM. */
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

/** `GeneralizedTime`: 20260301100000Z. */
const time = (date: Date) =>
  der(0x18, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`))

/** A certificate for a DNS name, valid until `until`. It is its own root. */
export function selfSigned(name: string, until: Date): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const serial = der(0x02, Buffer.from([1]), randomBytes(8))
  const validity = sequence(time(new Date(until.getTime() - 10 * 365 * 86_400_000)), time(until))
  const names = sequence(der(0x82, Buffer.from(name)))
  const extensions = der(0xa3, sequence(sequence(alternativeNames, der(0x04, names))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    serial,
    ecdsaWithSha256,
    nameOf(name),
    validity,
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  )
  const whole = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, privateKey)))
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
