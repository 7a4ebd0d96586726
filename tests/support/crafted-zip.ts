import { crc32, deflateRawSync } from 'node:zlib'

/** A member of a zip archive whose headers may be false (APPNOTE 4.3). Omitted fields are computed correctly. */

export interface ZipMember {
  name: string | Buffer
  bytes?: Uint8Array
  isDeflated?: boolean
  /** Replaces the deflated bytes. */
  packed?: Uint8Array
  /** Sizes and checksum follow the data instead of being in the local header. */
  isStreamed?: boolean
  /** Values for the central directory. */
  declared?: Partial<DeclaredFields>
  extra?: Buffer
  /** Values for the local header. */
  local?: { signature?: number; extraLength?: number }
}

interface DeclaredFields {
  signature: number
  flags: number
  method: number
  crc: number
  size: number
  packedSize: number
  disk: number
  /** Unix file type and permissions. */
  mode: number
  start: number
}

export interface ZipEnd {
  entries?: number
  disk?: number
  /** Size of the central directory in bytes. */
  size?: number
  start?: number
  comment?: string
  /** Values of the zip64 end record, and its position according to the locator. */
  large?: { entries?: bigint; size?: bigint; start?: bigint; position?: bigint }
}

const regularFile = 0o100644
const utf8 = 0x0800
const streamed = 0x0008

/** Writes an archive of these members. */
export function craftZip(members: readonly ZipMember[], end: ZipEnd = {}): Buffer {
  const parts: Buffer[] = []
  const headers: Buffer[] = []
  let at = 0
  for (const member of members) {
    const written = writtenOf(member)
    headers.push(headerOf(written, member, at))
    const local = localOf(written, member)
    parts.push(local)
    at += local.length
  }
  const directory = Buffer.concat(headers)
  const found = { entries: members.length, size: directory.length, start: at }
  return Buffer.concat([...parts, directory, endOf(found, end)])
}

interface Written {
  name: Buffer
  packed: Buffer
  method: number
  flags: number
  crc: number
  size: number
}

function writtenOf({ name, bytes = Buffer.alloc(0), ...given }: ZipMember): Written {
  const isPacked = given.isDeflated === true || given.packed !== undefined
  const packed = given.packed ?? (isPacked ? deflateRawSync(bytes) : bytes)
  return {
    name: Buffer.from(name),
    packed: Buffer.from(packed),
    method: isPacked ? 8 : 0,
    flags: utf8 | (given.isStreamed ? streamed : 0),
    crc: crc32(bytes),
    size: bytes.length,
  }
}

function localOf(written: Written, { local = {}, isStreamed, extra }: ZipMember): Buffer {
  const { name, packed, method, flags, crc, size } = written
  const known = isStreamed ? [0, 0, 0] : [crc, packed.length, size]
  const { signature = 0x04034b50, extraLength = extra?.length ?? 0 } = local
  const head = Buffer.concat([
    numbers(4, signature),
    numbers(2, 20, flags, method),
    numbers(4, 0, ...known),
    numbers(2, name.length, extraLength),
  ])
  const behind = isStreamed ? numbers(4, 0x08074b50, crc, packed.length, size) : Buffer.alloc(0)
  return Buffer.concat([head, name, extra ?? Buffer.alloc(0), packed, behind])
}

function headerOf(written: Written, { declared = {}, extra }: ZipMember, at: number): Buffer {
  const { name, packed } = written
  const truth = { signature: 0x02014b50, packedSize: packed.length, disk: 0, start: at }
  const all: DeclaredFields = { ...written, ...truth, mode: regularFile, ...declared }
  return Buffer.concat([
    numbers(4, all.signature),
    numbers(2, (3 << 8) | 20, 20, all.flags, all.method), // made on Unix, so that the mode is used
    numbers(4, 0, all.crc, all.packedSize, all.size),
    numbers(2, name.length, extra?.length ?? 0, 0, all.disk, 0),
    numbers(4, (all.mode << 16) >>> 0, all.start),
    name,
    extra ?? Buffer.alloc(0),
  ])
}

type Directory = Record<'entries' | 'size' | 'start', number>

function endOf(found: Directory, { large, comment = '', disk = 0, ...declared }: ZipEnd): Buffer {
  const none = { entries: 0xffff, size: 0xffffffff, start: 0xffffffff }
  const { entries, size, start } = { ...found, ...(large && none), ...declared }
  return Buffer.concat([
    ...(large ? [largeEnd(found, large)] : []),
    numbers(4, 0x06054b50),
    numbers(2, disk, disk, entries, entries),
    numbers(4, size, start),
    numbers(2, comment.length),
    Buffer.from(comment, 'latin1'),
  ])
}

function largeEnd(found: Directory, declared: NonNullable<ZipEnd['large']>): Buffer {
  const { entries = BigInt(found.entries), size = BigInt(found.size) } = declared
  const { start = BigInt(found.start), position = BigInt(found.start + found.size) } = declared
  return Buffer.concat([
    numbers(4, 0x06064b50),
    large(44n),
    numbers(2, 45, 45),
    numbers(4, 0, 0),
    large(entries, entries, size, start),
    numbers(4, 0x07064b50, 0),
    large(position),
    numbers(4, 1),
  ])
}

/** Writes an extra field. */
export const extraField = (id: number, content: Uint8Array): Buffer =>
  Buffer.concat([numbers(2, id, content.length), content])

/** Writes the zip64 field of a member: size, compressed size, offset. */
export const largeField = (...values: bigint[]): Buffer => extraField(0x0001, large(...values))

/** Writes the field with the UTF-8 name, which takes precedence over the name. */
export const nameField = (stored: string, name: string): Buffer =>
  extraField(0x7075, Buffer.concat([Buffer.of(1), numbers(4, crc32(stored)), Buffer.from(name)]))

function numbers(bytes: 2 | 4, ...values: number[]): Buffer {
  const written = Buffer.alloc(bytes * values.length)
  for (const [index, value] of values.entries()) written.writeUIntLE(value, index * bytes, bytes)
  return written
}

function large(...values: bigint[]): Buffer {
  const written = Buffer.alloc(8 * values.length)
  for (const [index, value] of values.entries()) written.writeBigUInt64LE(value, index * 8)
  return written
}
