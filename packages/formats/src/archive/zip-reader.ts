/**
 * Reads ZIP archives from a random-access source: the whole directory first, then any member by its position. Nothing
 * is written to disk.
 */
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { FormatError } from '../report/errors.ts'
import { inflateBytes } from './inflate.ts'
import { isJunk } from './names.ts'
import { type RandomAccess, readAhead, readPieces } from './source.ts'
import {
  type ArchiveLimits,
  archiveLimits,
  createDamageError,
  readDirectory,
  type ZipEntry,
} from './zip-directory.ts'

export { type ArchiveLimits, archiveLimits, type ZipEntry } from './zip-directory.ts'

export interface ZipReader {
  /** The archive with block-wise reads, for callers that read members by position. */
  source: RandomAccess
  /** Files by name, without directories and junk; for equal names the last one. */
  files: ReadonlyMap<string, ZipEntry>
  /** Names that occur more than once in the archive. */
  duplicates: readonly string[]
  /** Reads a member into one buffer; refuses members larger than `maxBytes` (default 64 MiB). */
  bytes(entry: ZipEntry, maxBytes?: number): Promise<Uint8Array>
  /** Yields a member in pieces. */
  stream(entry: ZipEntry): AsyncGenerator<Uint8Array>
  /**
   * Returns the offset of a member's packed bytes. With `packedSize` it suffices to read the member later without the
   * archive.
   */
  dataStart(entry: ZipEntry): Promise<number>
}

/** Source that already has a reader of its members (`unpacked.ts`). */
export interface Unpacked extends RandomAccess {
  members: ZipReader
}

const isUnpacked = (source: RandomAccess): source is Unpacked => 'members' in source

/**
 * Opens an archive, or files that are presented as one.
 * @throws {FormatError} when the archive is damaged or exceeds a limit; `bytes` and `stream` throw it as well
 */
export async function openZip(
  source: RandomAccess,
  limits: ArchiveLimits = archiveLimits,
): Promise<ZipReader> {
  if (isUnpacked(source)) return source.members
  const cached = readAhead(source)
  const files = new Map<string, ZipEntry>()
  const duplicates: string[] = []
  for (const entry of await readDirectory(cached, limits)) {
    if (isJunk(entry.name)) continue
    if (files.has(entry.name)) duplicates.push(entry.name)
    files.set(entry.name, entry)
  }
  return {
    source: cached,
    files,
    duplicates,
    bytes: (entry, maxBytes = 64 * 1024 ** 2) => readWhole(cached, entry, maxBytes),
    stream: (entry) => readStreamed(cached, entry),
    dataStart: (entry) => dataStart(cached, entry),
  }
}

async function readWhole(
  source: RandomAccess,
  entry: ZipEntry,
  maxBytes: number,
): Promise<Uint8Array> {
  if (Math.max(entry.size, entry.packedSize) > maxBytes) {
    throw new FormatError(`larger than ${maxBytes} bytes`, { file: entry.name })
  }
  const start = await dataStart(source, entry)
  const packed = await source.read(start, start + entry.packedSize)
  const bytes = entry.isDeflated ? inflate(packed, entry) : packed
  checkContent(entry, bytes.length, crc32(bytes))
  return bytes
}

function inflate(packed: Uint8Array, entry: ZipEntry): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) })
  } catch {
    throw createDamageError(`${entry.name} does not unpack to ${entry.size} bytes`)
  }
}

/** Up to this size in bytes one synchronous call is faster than a stream. */
const wholeBytes = 1_048_576

async function* readStreamed(source: RandomAccess, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  if (Math.max(entry.size, entry.packedSize) <= wholeBytes) {
    yield await readWhole(source, entry, wholeBytes)
    return
  }
  const start = await dataStart(source, entry)
  const packed = readPieces(source, start, start + entry.packedSize)
  let size = 0
  let crc = 0
  for await (const piece of entry.isDeflated ? inflateStream(packed, entry) : packed) {
    size += piece.length
    crc = crc32(piece, crc)
    if (size > entry.size)
      throw createDamageError(`${entry.name} unpacks to more than ${entry.size} bytes`)
    yield piece
  }
  checkContent(entry, size, crc)
}

const inflateStream = (packed: AsyncIterable<Uint8Array>, entry: ZipEntry) =>
  inflateBytes(packed, createInflateRaw({ chunkSize: 262_144 }), () =>
    createDamageError(`${entry.name} does not unpack`),
  )

/**
 * Returns the offset of the data. The local header may be longer than its directory entry, but the data must end
 * before the next member.
 */
async function dataStart(source: RandomAccess, entry: ZipEntry): Promise<number> {
  const head = Buffer.from(await source.read(entry.start, entry.start + 30))
  if (head.readUInt32LE(0) !== 0x04034b50) throw createDamageError(`${entry.name} has no header`)
  const start = entry.start + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  if (start + entry.packedSize > entry.limit)
    throw createDamageError(`${entry.name} overlaps other members`)
  return start
}

function checkContent(entry: ZipEntry, size: number, crc: number): void {
  if (size !== entry.size)
    throw createDamageError(`${entry.name} unpacks to ${size} of ${entry.size} bytes`)
  if (crc !== entry.crc) throw createDamageError(`${entry.name} has a wrong checksum`)
}
