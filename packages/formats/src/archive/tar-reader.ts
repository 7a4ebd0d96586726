/**
 * Reads tar archives from a random-access source under the same limits as zip archives: all headers first, then any
 * member by its position. Nothing is written to disk. Libraries such as `tar-stream` read the content of every member
 * to reach the next, and accept archives without an end and damaged pax records.
 */
import { FormatError } from '../report/errors.ts'
import { decodeName, isJunk, normaliseName } from './names.ts'
import { type RandomAccess, readAhead } from './source.ts'
import {
  blockBytes,
  damagedTar,
  isTarHeader,
  readPax,
  readTarHeader,
  type TarHeader,
  untilNul,
} from './tar-header.ts'
import { type ArchiveLimits, archiveLimits } from './zip-directory.ts'

export { isTarHeader } from './tar-header.ts'

/** One file of an archive. */
export interface TarEntry {
  /** Normalized by `normaliseName`. */
  name: string
  size: number
  /** Offset of the first byte of content. */
  start: number
}

export interface TarReader {
  /** Files by name, without directories and junk; for equal names the last one. */
  files: ReadonlyMap<string, TarEntry>
  /** Names that occur more than once in the archive. */
  duplicates: readonly string[]
}

/**
 * Opens an uncompressed tar archive.
 * @throws {FormatError} when the archive is damaged, truncated, uses an unsupported feature or exceeds a limit
 */
export async function openTar(
  source: RandomAccess,
  limits: ArchiveLimits = archiveLimits,
): Promise<TarReader> {
  const files = new Map<string, TarEntry>()
  const duplicates: string[] = []
  let total = 0
  for await (const entry of readEntries(readAhead(source), limits)) {
    total += entry.size
    if (total > limits.bytes)
      throw new FormatError(`archive too large: it unpacks to ${total} bytes or more`)
    if (isJunk(entry.name)) continue
    if (files.has(entry.name)) duplicates.push(entry.name)
    files.set(entry.name, entry)
  }
  return { files, duplicates }
}

/** Fields that preceding headers set for the next member. */
interface DeclaredFields {
  name?: string
  size?: number
}

async function* readEntries(source: RandomAccess, limits: ArchiveLimits): AsyncGenerator<TarEntry> {
  let declared: DeclaredFields = {}
  let count = 0
  for (let at = 0; ; ) {
    const header = await readHeader(source, at, count)
    if (!header) break
    count += 1
    if (count > limits.entries)
      throw new FormatError(`archive too large: more than ${limits.entries} members`)
    const start = at + blockBytes
    if (header.type in headerParsers) {
      const content = await readContent(source, start, header.size)
      declared = { ...declared, ...headerParsers[header.type]?.(content) }
      at = start + padded(header.size)
    } else {
      const entry = readMember({ ...header, ...declared })
      declared = {}
      at = start + padded(entry?.size ?? 0)
      if (entry) yield { ...entry, start }
    }
  }
}

const padded = (size: number): number => Math.ceil(size / blockBytes) * blockBytes

/** Returns undefined at the end marker, which is a block of zeros. */
async function readHeader(
  source: RandomAccess,
  at: number,
  count: number,
): Promise<TarHeader | undefined> {
  if (at + blockBytes > source.size) throw damagedTar('it was cut off: its end is missing')
  const block = await source.read(at, at + blockBytes)
  if (block.every((byte) => byte === 0)) return undefined
  if (!isTarHeader(block)) throw damagedTar(`member ${count + 1} has no header`)
  return readTarHeader(block)
}

/** Size limit in bytes of headers that describe the next member; legitimate archives of files stay far below. */
const largestContent = 65_536

async function readContent(source: RandomAccess, start: number, size: number): Promise<Uint8Array> {
  if (size > largestContent)
    throw damagedTar(`what it says of a member is longer than ${largestContent} bytes`)
  if (start + size > source.size) throw damagedTar('it was cut off')
  return source.read(start, start + size)
}

const sparse = (file?: string): FormatError =>
  new FormatError('sparse members cannot be read', { file })

/** Parsers of headers that describe the next member, by header type. */
const headerParsers: Record<string, (content: Uint8Array) => DeclaredFields> = {
  L: (content) => ({ name: decodeName(untilNul(content)) }),
  /** The target of a link; the link itself is refused. */
  K: () => ({}),
  x: (content) => {
    const records = readPax(content)
    if ([...records.keys()].some((key) => key.startsWith('GNU.sparse.'))) throw sparse()
    const path = records.get('path')
    const size = records.get('size')
    return { ...(path && { name: decodeName(path) }), ...(size && { size: wholeNumber(size) }) }
  },
  g: (content) => {
    const records = readPax(content)
    const wrong = ['path', 'size', 'linkpath'].find((key) => records.has(key))
    if (wrong) throw damagedTar(`all its members have one ${wrong}`)
    return {}
  },
}

function wholeNumber(bytes: Uint8Array): number {
  const size = Number(Buffer.from(bytes).toString('latin1'))
  if (!Number.isSafeInteger(size) || size < 0) throw damagedTar('a size is out of range')
  return size
}

const links = new Set(['1', '2', '3', '4', '6'])

/** Returns undefined for members without bytes, regardless of their declared size: directories and volume labels. */
function readMember({ type, name: stored, size }: TarHeader): Omit<TarEntry, 'start'> | undefined {
  const isDirectory = type === '5' || (type === '0' && stored.endsWith('/'))
  if (type === 'V' || (isDirectory && /^\.?\/*$/.test(stored))) return undefined
  const name = normaliseName(stored)
  const refuse = (reason: string): FormatError => new FormatError(reason, { file: name })
  if (isDirectory) return undefined
  if (links.has(type)) throw refuse('links and devices are not allowed')
  if (type === 'S') throw sparse(name)
  if (type === 'M') throw refuse('archive is split over several files; send one whole archive')
  if (type !== '0') throw refuse(`members of type ${JSON.stringify(type)} are not supported`)
  return { name, size }
}
