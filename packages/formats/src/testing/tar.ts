/** One member of a tar archive to write; every field can be falsified. */
export interface CraftedMember {
  name: string | Buffer
  content?: string | Uint8Array
  type?: string
  prefix?: string
  magic?: string
  /** Written instead of the actual value. */
  size?: number | string | Buffer
  sum?: number | 'signed'
  /** True to omit the zero padding. */
  isUnpadded?: boolean
}

const block = 512
export const tarEnd: Buffer = Buffer.alloc(2 * block)

/** Builds an archive with these members, followed by `end`. */
export function craftTar(members: readonly CraftedMember[], end: Uint8Array = tarEnd): Buffer {
  return Buffer.concat([...members.map(craftMember), end])
}

/** Builds a valid archive of these files. */
export const packTar = (files: Record<string, string | Uint8Array>): Buffer =>
  craftTar(Object.entries(files).map(([name, content]) => ({ name, content })))

export function craftMember(member: CraftedMember): Buffer {
  const content = Buffer.from(member.content ?? '')
  const header = Buffer.alloc(block)
  Buffer.from(member.name).copy(header, 0, 0, 100)
  header.write('0000644\0', 100, 'latin1')
  const size = member.size ?? content.length
  if (Buffer.isBuffer(size)) size.copy(header, 124)
  else header.write(typeof size === 'string' ? size : octal(size, 11), 124, 12, 'latin1')
  header.write(octal(0, 11), 136, 'latin1')
  header.write(member.type ?? '0', 156, 'latin1')
  header.write(member.magic ?? 'ustar\x0000', 257, 'latin1')
  header.write(member.prefix ?? '', 345, 155, 'utf8')
  writeSum(header, member.sum)
  const padding = Buffer.alloc(member.isUnpadded ? 0 : (block - (content.length % block)) % block)
  return Buffer.concat([header, content, padding])
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

function writeSum(header: Buffer, given: CraftedMember['sum']): void {
  header.fill(' ', 148, 156)
  let sum = 0
  for (const byte of header) sum += given === 'signed' ? (byte << 24) >> 24 : byte
  const written = typeof given === 'number' ? given : sum
  header.write(`${octal(written, 6)}\0 `, 148, 'latin1')
}

/** Builds a header that describes the next member. */
export const pax = (records: Record<string, string>, type = 'x'): CraftedMember => ({
  name: 'pax',
  type,
  content: Object.entries(records)
    .map(([key, value]) => paxRecord(key, value))
    .join(''),
})

function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  let length = Buffer.byteLength(rest)
  while (length !== Buffer.byteLength(rest) + String(length).length)
    length = Buffer.byteLength(rest) + String(length).length
  return `${length}${rest}`
}

export const longName = (name: string, type = 'L'): CraftedMember => ({
  name: '././@LongLink',
  type,
  content: `${name}\0`,
  magic: 'ustar  \0',
})

/** Builds a size field with a binary number. */
export function binarySize(value: bigint): Buffer {
  const field = Buffer.alloc(12)
  field.writeBigUInt64BE(value, 4)
  field[0] = 0x80
  return field
}
