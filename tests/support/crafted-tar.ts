import { tarEnd, tarHeader, tarPadding } from '@reticle/kit/ops/dump/tar'

/** A member of a tar archive whose header may be false. Omitted fields are computed correctly. */

export interface TarMember {
  name: string | Buffer
  bytes?: Uint8Array
  /** A single character. */
  type?: string
  /** Prefix of the name. */
  prefix?: string
  /** Size as written in the header: digits, or a binary number. */
  size?: number | string | Buffer
  /** The checksum belongs to another header. */
  isWrong?: boolean
}

/** Writes an archive of these members, followed by `end`. */
export function craftTar(members: readonly TarMember[], end: Uint8Array = tarEnd): Buffer {
  const parts = members.flatMap((member) => {
    const { bytes = Buffer.alloc(0) } = member
    return [headerOf(member, bytes.length), bytes, tarPadding(bytes.length)]
  })
  return Buffer.concat([...parts, end])
}

function headerOf({ name, type, prefix, size, isWrong }: TarMember, length: number): Buffer {
  const header = tarHeader('', typeof size === 'number' ? size : length)
  const stored = Buffer.from(name)
  stored.copy(header, 0, 0, 100)
  if (typeof size === 'string') header.write(size, 124, 12, 'latin1')
  if (Buffer.isBuffer(size)) size.copy(header, 124)
  if (type !== undefined) header.write(type, 156, 'latin1')
  if (prefix !== undefined) header.write(prefix, 345, 155)
  header.fill(' ', 148, 156)
  const sum = header.reduce((all, byte) => all + byte, isWrong ? 1 : 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

/** Writes a binary number in place of digits, or something that resembles one. */
export const binarySize = (value: bigint): Buffer => {
  const field = Buffer.alloc(12)
  field.writeBigUInt64BE(value, 4)
  field[0] = 0x80
  return field
}

/** Writes pax records for the next member; with type `g` for all following members. */
export const pax = (records: Record<string, string>, type = 'x'): TarMember => ({
  ...{ name: 'pax', type },
  bytes: Buffer.from(
    Object.entries(records)
      .map(([key, value]) => paxRecord(key, value))
      .join(''),
  ),
})

/** The length at its start includes itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  const guess = bytes + String(bytes).length
  return `${bytes + String(guess).length}${rest}`
}

/** Writes the name of the next member in the format of GNU tar. */
export const longName = (name: string): TarMember => ({
  ...{ name: '././@LongLink', type: 'L' },
  bytes: Buffer.from(`${name}\0`),
})
