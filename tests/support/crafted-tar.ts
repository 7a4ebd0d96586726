import { tarEnd, tarHeader, tarPadding } from '@reticle/kit/dump/tar'

/** Tar archives as they are written, with room for every lie. What is not said otherwise is the truth. */

export interface TarMember {
  name: string | Buffer
  bytes?: Uint8Array
  /** One character. */
  type?: string
  /** What comes before the name. */
  prefix?: string
  /** As it stands in the header: digits, or a binary number. */
  size?: number | string | Buffer
  /** The checksum is that of another header. */
  isWrong?: boolean
}

/** The bytes of an archive of these members; `end` stands behind them. */
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

/** A binary number where digits would be, or what looks like one. */
export const binarySize = (value: bigint): Buffer => {
  const field = Buffer.alloc(12)
  field.writeBigUInt64BE(value, 4)
  field[0] = 0x80
  return field
}

/** What is said of the next member by pax records; of all members that follow by those of the type `g`. */
export const pax = (records: Record<string, string>, type = 'x'): TarMember => ({
  ...{ name: 'pax', type },
  bytes: Buffer.from(
    Object.entries(records)
      .map(([key, value]) => paxRecord(key, value))
      .join(''),
  ),
})

/** The length in front counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  const guess = bytes + String(bytes).length
  return `${bytes + String(guess).length}${rest}`
}

/** The name of the next member as GNU tar writes it. */
export const longName = (name: string): TarMember => ({
  ...{ name: '././@LongLink', type: 'L' },
  bytes: Buffer.from(`${name}\0`),
})
