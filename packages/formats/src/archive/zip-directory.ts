/** Reads the central directory of a ZIP archive. The whole directory is checked before any member is opened. */
import { crc32 } from 'node:zlib'
import { FormatError } from '../report/errors.ts'
import { decodeName, normaliseName } from './names.ts'
import { type RandomAccess, readPieces } from './source.ts'

/** Limits of archives. */
export interface ArchiveLimits {
  /** Number of members, including directories. */
  entries: number
  /** Total unpacked bytes of all members. */
  bytes: number
  /** Unpacked bytes per packed byte; applies to members over 64 MiB and archives over 1 GiB. */
  ratio: number
}

export const archiveLimits: ArchiveLimits = {
  entries: 1_000_000,
  bytes: 100 * 1024 ** 3,
  ratio: 200,
}

/** One file of an archive. */
export interface ZipEntry {
  /** Normalized by `normaliseName`. */
  name: string
  size: number
  packedSize: number
  crc: number
  isDeflated: boolean
  /** Offset of the local header, and offset of the next structure after the member. */
  start: number
  limit: number
}

/**
 * Reads all entries, including directories, in the order of the directory.
 * @throws {FormatError} when the archive is damaged, uses an unsupported feature or exceeds a limit
 */
export async function readDirectory(
  source: RandomAccess,
  limits: ArchiveLimits,
): Promise<ZipEntry[]> {
  const end = await readEnd(source)
  if (end.entries > limits.entries) {
    throw new FormatError(
      `archive too large: ${end.entries} members, at most ${limits.entries} are allowed`,
    )
  }
  const entries: ZipEntry[] = []
  for await (const header of readHeaders(source, end)) entries.push(readEntry(header))
  checkSizes(entries, limits)
  setLimits(entries, end.start)
  return entries
}

export function createDamageError(what: string): FormatError {
  return new FormatError(`archive is damaged: ${what}`)
}

// ---- end record

interface DirectoryEnd {
  entries: number
  /** Start and end offset of the directory. */
  start: number
  stop: number
}

const endBytes = 22
const locatorBytes = 20
const none16 = 0xffff
const none32 = 0xffffffff

async function readEnd(source: RandomAccess): Promise<DirectoryEnd> {
  const from = Math.max(0, source.size - endBytes - none16 - locatorBytes)
  const tail = view(await source.read(from, source.size))
  const at = findEnd(tail)
  if (at === undefined) throw createDamageError('its end record is missing')
  const read16 = (offset: number): number => tail.readUInt16LE(at + offset)
  const read32 = (offset: number): number => tail.readUInt32LE(at + offset)
  const disks = { own: read16(4), start: read16(6), entries: read16(8) }
  const end = { entries: read16(10), size: read32(12), start: read32(16), stop: from + at }
  if (end.entries === none16 || end.size === none32 || end.start === none32) {
    const large = await readLargeEnd(source, tail, at)
    if (large) return checkDirectory(large)
  }
  if (disks.own !== 0 || disks.start !== 0 || disks.entries !== end.entries) throw manyDisks()
  return checkDirectory(end)
}

/** Returns the offset of the last end record whose comment reaches exactly to the end of the bytes. */
function findEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== 0x06054b50) continue
    if (at + endBytes + tail.readUInt16LE(at + 20) === tail.length) return at
  }
  return undefined
}

/** Reads the zip64 end record if its locator precedes the end record. */
async function readLargeEnd(
  source: RandomAccess,
  tail: Buffer,
  at: number,
): Promise<(DirectoryEnd & { size: number }) | undefined> {
  const locator = at - locatorBytes
  if (locator < 0 || tail.readUInt32LE(locator) !== 0x07064b50) return undefined
  if (tail.readUInt32LE(locator + 4) !== 0 || tail.readUInt32LE(locator + 16) > 1) throw manyDisks()
  const position = readSize(tail, locator + 8)
  if (position + 56 > source.size) throw createDamageError('its zip64 record lies outside of it')
  const record = view(await source.read(position, position + 56))
  if (record.readUInt32LE(0) !== 0x06064b50) throw createDamageError('its zip64 record is missing')
  const entries = readSize(record, 32)
  if (record.readUInt32LE(16) !== 0 || record.readUInt32LE(20) !== 0) throw manyDisks()
  if (readSize(record, 24) !== entries) throw manyDisks()
  return { entries, size: readSize(record, 40), start: readSize(record, 48), stop: position }
}

function checkDirectory(end: DirectoryEnd & { size: number }): DirectoryEnd {
  if (end.start + end.size > end.stop) throw createDamageError('its directory lies outside of it')
  if (end.entries * headerBytes > end.size) throw createDamageError('its directory is too short')
  return { entries: end.entries, start: end.start, stop: end.start + end.size }
}

function manyDisks(): FormatError {
  return new FormatError('archive is split over several files; send one whole archive')
}

// ---- headers

const headerBytes = 46

/**
 * Yields the headers one by one, each with its name and extra fields, without holding the whole directory in memory.
 */
async function* readHeaders(source: RandomAccess, end: DirectoryEnd): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0)
  let count = 0
  for await (const piece of readPieces(source, end.start, end.stop)) {
    held = Buffer.concat([held, piece])
    let at = 0
    while (count < end.entries && held.length - at >= headerBytes) {
      if (held.readUInt32LE(at) !== 0x02014b50)
        throw createDamageError(`its directory breaks at ${count}`)
      const lengths = [28, 30, 32].map((offset) => held.readUInt16LE(at + offset))
      const next = at + lengths.reduce((sum, length) => sum + length, headerBytes)
      if (next > held.length) break
      yield held.subarray(at, next)
      at = next
      count += 1
    }
    held = held.subarray(at)
  }
  if (count < end.entries) throw createDamageError(`its directory breaks at ${count}`)
}

function readEntry(header: Buffer): ZipEntry {
  const nameEnd = headerBytes + header.readUInt16LE(28)
  const extra = header.subarray(nameEnd, nameEnd + header.readUInt16LE(30))
  const storedName = header.subarray(headerBytes, nameEnd)
  const name = normaliseName(unicodeName(storedName, extra) ?? decodeName(storedName))
  const refuse = (reason: string): FormatError => new FormatError(reason, { file: name })
  if ((header.readUInt16LE(8) & 0x2041) !== 0) throw refuse('encrypted members cannot be read')
  const method = header.readUInt16LE(10)
  if (method !== 0 && method !== 8) throw refuse(`compression method ${method} is not supported`)
  if (isSpecial(header.readUInt32LE(38) >>> 16)) throw refuse('links and devices are not allowed')
  const sizes = readSizes(header, extra)
  if (sizes.disk !== 0) throw manyDisks()
  if (method === 0 && sizes.packedSize !== sizes.size)
    throw createDamageError(`sizes of ${name} differ`)
  const { size, packedSize, start } = sizes
  const crc = header.readUInt32LE(16)
  return { name, size, packedSize, crc, isDeflated: method === 8, start, limit: 0 }
}

/**
 * Returns whether a Unix mode marks something other than a regular file or directory; 0 means that the mode is
 * unknown.
 */
function isSpecial(mode: number): boolean {
  const kind = mode & 0xf000
  return kind !== 0 && kind !== 0x8000 && kind !== 0x4000
}

function readSizes(header: Buffer, extra: Buffer) {
  const large = extraField(extra, 0x0001)
  let at = 0
  const next = (value: number, none: number, bytes: 4 | 8): number => {
    if (value !== none) return value
    if (!large || at + bytes > large.length) throw createDamageError('a zip64 field is missing')
    at += bytes
    return bytes === 8 ? readSize(large, at - 8) : large.readUInt32LE(at - 4)
  }
  const size = next(header.readUInt32LE(24), none32, 8)
  const packedSize = next(header.readUInt32LE(20), none32, 8)
  const start = next(header.readUInt32LE(42), none32, 8)
  const disk = next(header.readUInt16LE(34), none16, 4)
  return { size, packedSize, start, disk }
}

/**
 * Reads the extra field in which some tools store the name as UTF-8. It is valid while its checksum matches the
 * stored name.
 */
function unicodeName(storedName: Buffer, extra: Buffer): string | undefined {
  const field = extraField(extra, 0x7075)
  if (!field || field.length < 6 || field[0] !== 1) return undefined
  if (field.readUInt32LE(1) !== crc32(storedName)) return undefined
  return decodeName(field.subarray(5))
}

function extraField(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2)
    if (end > extra.length) throw createDamageError('an extra field is too long')
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, end)
    at = end
  }
  return undefined
}

// ---- checks over all entries

const largeEntry = 64 * 1024 ** 2
const largeArchive = 1024 ** 3

function checkSizes(entries: ZipEntry[], limits: ArchiveLimits): void {
  let total = 0
  let packed = 0
  for (const { name, size, packedSize } of entries) {
    total += size
    packed += packedSize
    if (size > largeEntry && size > packedSize * limits.ratio) {
      throw new FormatError(`archive too large: ${name} unpacks to ${size} bytes`)
    }
  }
  const isBomb = total > largeArchive && total > packed * limits.ratio
  if (total > limits.bytes || isBomb) {
    throw new FormatError(`archive too large: it unpacks to ${total} bytes`)
  }
}

/** Checks that members share no bytes: each must end before the next one begins. */
function setLimits(entries: ZipEntry[], directoryStart: number): void {
  let limit = directoryStart
  for (const entry of entries.toSorted((a, b) => b.start - a.start)) {
    if (entry.start + 30 + entry.packedSize > limit) {
      throw createDamageError(`${entry.name} overlaps other members`)
    }
    entry.limit = limit
    limit = entry.start
  }
}

/** Reads 64 bits as a number; a size beyond 2^53 is invalid. */
function readSize(bytes: Buffer, at: number): number {
  const size = Number(bytes.readBigUInt64LE(at))
  if (!Number.isSafeInteger(size)) throw createDamageError('a size is out of range')
  return size
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
