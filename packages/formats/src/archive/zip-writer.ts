/**
 * Writes ZIP archives as a stream: members are sent as they arrive, and only their headers are kept for the
 * directory. Text is deflated at level 1, images are stored.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'
import type { StoredArchive, WrittenMember, ZipTrack } from './zip-track.ts'

/** One file to write into an archive; `path` has `/` between its parts. */
export interface ArchiveFile {
  path: string
  content: string | Uint8Array | AsyncIterable<string | Uint8Array>
  /** True when the member must not be deflated, regardless of its name. */
  isStored?: boolean
  /**
   * Identifier of the content: an equal identifier means equal bytes, so that a resumed export need not read them
   * again.
   */
  source?: string | undefined
}

/** Members up to this size in bytes are packed in one step. */
const wholeBytes = 1_048_576

export interface ZipSteps {
  /** Beginning of the same archive that an earlier attempt stored; only the bytes after it are yielded. */
  stored?: StoredArchive | undefined
  track?: ZipTrack | undefined
}

/** The bytes that an earlier attempt stored are not the beginning of this archive: its content has changed since. */
export class ArchiveChanged extends Error {
  constructor(where: string) {
    super(`The archive differs from what was written of it before: ${where}`)
  }
}

/**
 * Yields the bytes of an archive with the given files, in their order.
 * @param modified Timestamp of every member: the time of the request.
 * @throws {ArchiveChanged} when the stored beginning does not match
 */
export async function* writeZip(
  files: AsyncIterable<ArchiveFile> | Iterable<ArchiveFile>,
  modified: Date,
  { stored, track }: ZipSteps = {},
): AsyncGenerator<Uint8Array> {
  const stamp = dosTime(modified)
  const written: Member[] = []
  const former = stored?.members[Symbol.iterator]()
  const behind = behindStored(stored)
  let offset = 0
  for await (const file of files) {
    const member = newMember(file, offset, stamp)
    written.push(member)
    const before = former?.next()
    if (before && !before.done) {
      await proveSame(member, file, before.value)
      offset += lengthOf(member)
      continue
    }
    track?.begin(offset)
    for await (const bytes of bytesOf(member, file.content)) {
      track?.wrote(bytes)
      yield* behind(bytes, offset)
      offset += bytes.length
    }
    track?.ended(writtenOf(member))
  }
  if (former && !former.next().done) throw new ArchiveChanged('it has fewer files')
  track?.begin(offset)
  for (const bytes of writeDirectory(written, offset)) {
    track?.wrote(bytes)
    yield* behind(bytes, offset)
    offset += bytes.length
  }
  if (stored && offset < stored.size) throw new ArchiveChanged('it is shorter')
}

interface Member {
  path: string
  name: Buffer
  offset: number
  stamp: number
  isStored: boolean
  /** True when sizes and checksum follow the data, because they are not known beforehand. */
  isStreamed: boolean
  size: number
  packedSize: number
  crc: number
  source: number | null
}

function newMember({ path, isStored, source }: ArchiveFile, offset: number, stamp: number): Member {
  const isPacked = storedEndings.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
  return {
    path,
    name: Buffer.from(path),
    offset,
    stamp,
    isStored: isPacked || isStored === true,
    isStreamed: false,
    size: 0,
    packedSize: 0,
    crc: 0,
    source: source === undefined ? null : crc32(source),
  }
}

const writtenOf = (member: Member): WrittenMember => {
  const { path, size, packedSize, crc, isStored, isStreamed, source } = member
  return { path, size, packedSize, crc, isStored, isStreamed, source }
}

/** Returns the length in bytes of a complete member. */
const lengthOf = ({ name, packedSize, isStreamed }: Member) =>
  30 + name.length + packedSize + (isStreamed ? streamedBytes : 0)

/**
 * Checks that a member equals the stored one. Content with an equal source id is not read; all other content is
 * generated again and compared.
 */
async function proveSame(member: Member, file: ArchiveFile, before: WrittenMember): Promise<void> {
  const { path, source, isStored } = before
  const isTaken = source !== null && member.source === source
  if (isTaken && member.path === path && member.isStored === isStored) {
    Object.assign(member, before)
    return
  }
  for await (const _ of bytesOf(member, file.content));
  const made = writtenOf(member)
  const isSame =
    made.path === path &&
    made.size === before.size &&
    made.packedSize === before.packedSize &&
    made.crc === before.crc &&
    made.isStored === isStored &&
    made.isStreamed === before.isStreamed
  if (!isSame) throw new ArchiveChanged(path)
}

/** Returns a filter that drops bytes already stored. The stored part of an incomplete member must be equal. */
function behindStored(stored: StoredArchive | undefined) {
  let crc = 0
  return (bytes: Uint8Array, offset: number): Uint8Array[] => {
    if (!stored || offset >= stored.size) return [bytes]
    const known = bytes.subarray(0, stored.size - offset)
    crc = crc32(known, crc)
    const isLast = offset + known.length === stored.size
    if (isLast && crc !== stored.crc) throw new ArchiveChanged('in the middle of a file')
    return known.length < bytes.length ? [bytes.subarray(known.length)] : []
  }
}

function bytesOf(member: Member, content: ArchiveFile['content']) {
  const whole = wholeOf(content)
  return whole ? [writeWhole(member, whole)] : writeParts(member, content)
}

/** Extensions of compressed content; deflating it again costs time without saving bytes. */
const storedEndings = new Set(
  'jpg jpeg png webp gif tif tiff avif jp2 heic mp4 mov avi mkv webm zip gz'.split(' '),
)

/** Returns small content that is in memory, typically a label file, which needs no stream. */
function wholeOf(content: ArchiveFile['content']): Buffer | undefined {
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) return undefined
  return content.length <= wholeBytes ? Buffer.from(content) : undefined
}

async function* writeParts(
  member: Member,
  content: ArchiveFile['content'],
): AsyncGenerator<Uint8Array> {
  const pieces = piecesOf(content)
  const head: Uint8Array[] = []
  let size = 0
  while (size <= wholeBytes) {
    const next = await pieces.next()
    if (next.done) {
      yield writeWhole(member, Buffer.concat(head))
      return
    }
    head.push(next.value)
    size += next.value.length
  }
  yield* writeStreamed(member, joined(head, pieces))
}

async function* piecesOf(content: ArchiveFile['content']): AsyncGenerator<Uint8Array> {
  const parts = typeof content === 'string' || content instanceof Uint8Array ? [content] : content
  for await (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

async function* joined(
  head: Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head
  yield* rest
}

function writeWhole(member: Member, bytes: Buffer): Buffer {
  const packed = member.isStored ? bytes : deflateRawSync(bytes, { level: 1 })
  member.size = bytes.length
  member.packedSize = packed.length
  member.crc = crc32(bytes)
  return Buffer.concat([localHeader(member), packed])
}

async function* writeStreamed(
  member: Member,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  member.isStreamed = true
  yield localHeader(member)
  const counted = count(member, pieces)
  for await (const packed of member.isStored ? counted : deflate(counted)) {
    member.packedSize += packed.length
    yield packed
  }
  yield dataDescriptor(member)
}

async function* count(
  member: Member,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    member.size += piece.length
    member.crc = crc32(piece, member.crc)
    yield piece
  }
}

async function* deflate(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pack = createDeflateRaw({ level: 1, chunkSize: 65_536 })
  let fault: unknown
  const fed = pipeline(Readable.from(pieces), pack).catch((error: unknown) => {
    fault = error
  })
  try {
    yield* pack
  } catch (error) {
    throw fault ?? error
  } finally {
    pack.destroy()
    await fed
  }
}

// ---- records

const none16 = 0xffff
const none32 = 0xffffffff
const utf8Flag = 0x0800
const streamedFlag = 0x0008
/** Length in bytes of the zip64 field before and the descriptor after the data of a streamed member. */
const streamedBytes = 20 + 24

/** Fields that both headers share: version, flags, method and time. */
function commonFields(member: Member): number[] {
  const flags = utf8Flag | (member.isStreamed ? streamedFlag : 0)
  return [45, flags, member.isStored ? 0 : 8, member.stamp & none16, member.stamp >>> 16]
}

function localHeader(member: Member): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  put16(header, 4, [...commonFields(member)])
  const size = member.isStreamed ? none32 : member.size
  const packedSize = member.isStreamed ? none32 : member.packedSize
  put32(header, 14, [member.crc, packedSize, size])
  // A zip64 field makes the sizes after the data 8 bytes long.
  const extra = member.isStreamed ? zip64Field([0, 0]) : Buffer.alloc(0)
  put16(header, 26, [member.name.length, extra.length])
  return Buffer.concat([header, member.name, extra])
}

function dataDescriptor({ crc, packedSize, size }: Member): Buffer {
  const record = Buffer.alloc(24)
  put32(record, 0, [0x08074b50, crc])
  put64(record, 8, [packedSize, size])
  return record
}

function* writeDirectory(members: Member[], start: number): Generator<Uint8Array> {
  let size = 0
  for (let from = 0; from < members.length; from += 1000) {
    const headers = Buffer.concat(members.slice(from, from + 1000).map(directoryHeader))
    size += headers.length
    yield headers
  }
  yield endRecords(members.length, size, start)
}

function directoryHeader(member: Member): Buffer {
  const { size, packedSize, offset } = member
  const isLarge = Math.max(size, packedSize, offset) >= none32
  const extra = isLarge ? zip64Field([size, packedSize, offset]) : Buffer.alloc(0)
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  // Written as made on Unix, so that readers respect the mode of a regular file.
  put16(header, 4, [(3 << 8) | 45, ...commonFields(member)])
  put32(header, 16, [member.crc, ...(isLarge ? [none32, none32] : [packedSize, size])])
  put16(header, 28, [member.name.length, extra.length])
  put32(header, 38, [(0o100644 << 16) >>> 0, isLarge ? none32 : offset])
  return Buffer.concat([header, member.name, extra])
}

function endRecords(count: number, size: number, start: number): Buffer {
  const isLarge = count >= none16 || size >= none32 || start >= none32
  const large = Buffer.alloc(isLarge ? 76 : 0)
  if (isLarge) {
    large.writeUInt32LE(0x06064b50, 0)
    put64(large, 4, [44])
    put16(large, 12, [45, 45])
    put64(large, 24, [count, count, size, start])
    large.writeUInt32LE(0x07064b50, 56)
    put64(large, 64, [start + size])
    large.writeUInt32LE(1, 72)
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  put16(end, 8, isLarge ? [none16, none16] : [count, count])
  put32(end, 12, isLarge ? [none32, none32] : [size, start])
  return Buffer.concat([large, end])
}

function zip64Field(sizes: number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * sizes.length)
  put16(field, 0, [0x0001, 8 * sizes.length])
  put64(field, 4, sizes)
  return field
}

/** Returns the DOS timestamp: time in the lower 16 bits, date above, in steps of two seconds from 1980. */
function dosTime(date: Date): number {
  const year = Math.min(Math.max(date.getUTCFullYear(), 1980), 2107)
  const day = ((year - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const seconds = date.getUTCSeconds() >> 1
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | seconds
  return ((day << 16) | time) >>> 0
}

function put16(into: Buffer, at: number, values: number[]): void {
  for (const [index, value] of values.entries()) into.writeUInt16LE(value, at + 2 * index)
}

function put32(into: Buffer, at: number, values: number[]): void {
  for (const [index, value] of values.entries()) into.writeUInt32LE(value, at + 4 * index)
}

function put64(into: Buffer, at: number, values: number[]): void {
  for (const [index, value] of values.entries())
    into.writeBigUInt64LE(BigInt(value), at + 8 * index)
}
