/**
 * Presents unpacked files as an archive, so that archive importers can read folders, and files next to an archive as
 * its members.
 */
import { FormatError } from '../report/errors.ts'
import { isJunk, normaliseName } from './names.ts'
import { type RandomAccess, readPieces } from './source.ts'
import type { Unpacked, ZipEntry, ZipReader } from './zip-reader.ts'

/** A file with the name that it has as an archive member. */
export interface MemberFile extends Pick<RandomAccess, 'size' | 'read'> {
  name: string
}

/** Signature of an archive without members. */
const signature = Buffer.from('PK\x05\x06')

/**
 * Returns a source that presents files as an archive.
 * @param base Archive to which the files are added; a file replaces a member of the same name.
 * @throws {FormatError} for names that members cannot have
 */
export function unpackedSource(
  files: Iterable<MemberFile>,
  { name, base }: { name: string; base?: ZipReader | undefined },
): Unpacked {
  const from = base?.source.size ?? 0
  const own = new Map<ZipEntry, MemberFile>()
  const entries = new Map(base?.files)
  let at = from
  for (const file of files) {
    const known = { name: normaliseName(file.name), size: file.size, packedSize: file.size }
    if (isJunk(known.name)) continue
    const limit = at + file.size
    const entry = { ...known, crc: 0, isDeflated: false, start: at, limit }
    at = limit
    own.set(entry, file)
    entries.set(entry.name, entry)
  }
  const ordered = [...own.keys()]
  const source: RandomAccess = {
    size: at,
    async read(start, end) {
      if (start < from) return base?.source.read(start, end) ?? new Uint8Array()
      const entry = ordered[indexOfByte(ordered, start)]
      return entry ? (own.get(entry)?.read(start - entry.start, end - entry.start) ?? none) : none
    },
  }
  const members = readerOf({ source, entries, own, base })
  return {
    name,
    size: signature.length,
    read: async (start, end) => signature.subarray(start, end),
    members,
  }
}

const none = new Uint8Array()

/** Returns the last entry that begins at or before a byte. */
function indexOfByte(ordered: readonly ZipEntry[], byte: number): number {
  let [low, high] = [0, ordered.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((ordered[middle]?.start ?? 0) <= byte) low = middle
    else high = middle - 1
  }
  return low
}

interface Parts {
  source: RandomAccess
  entries: ReadonlyMap<string, ZipEntry>
  own: ReadonlyMap<ZipEntry, MemberFile>
  base: ZipReader | undefined
}

function readerOf({ source, entries, own, base }: Parts): ZipReader {
  return {
    source,
    files: entries,
    duplicates: base?.duplicates ?? [],
    async bytes(entry, maxBytes = 64 * 1024 ** 2) {
      const file = own.get(entry)
      if (!file) return base?.bytes(entry, maxBytes) ?? none
      if (file.size > maxBytes)
        throw new FormatError(`larger than ${maxBytes} bytes`, { file: entry.name })
      return file.read(0, file.size)
    },
    async *stream(entry) {
      const file = own.get(entry)
      if (file) yield* readPieces(file)
      else if (base) yield* base.stream(entry)
    },
    dataStart: async (entry) => (own.has(entry) ? entry.start : (base?.dataStart(entry) ?? 0)),
  }
}
