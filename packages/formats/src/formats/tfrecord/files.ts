/** Finds the members of an archive that contain records, with their subsets and label maps. */
import { createGunzip, createInflate } from 'node:zlib'
import { inflateBytes } from '../../archive/inflate.ts'
import type { RandomAccess } from '../../archive/source.ts'
import { archiveLimits, type ZipReader } from '../../archive/zip-reader.ts'
import { openArchive } from '../../importing/open-archive.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { baseOf } from '../../text/paths.ts'
import { readLabelMap } from './label-map.ts'
import { headBytes, isRecordHead, readRecords, type TfRecord } from './records.ts'

export interface TfFile {
  name: string
  subset: string
  /** Size in bytes, as counted by `onBytes`. */
  size: number
  /** Label names by id; absent without a label map. */
  labels?: ReadonlyMap<number, string>
  /** Yields the records from the first on; may be called more than once. */
  records(onBytes: (bytes: number) => void): AsyncGenerator<TfRecord>
}

/**
 * Returns the record files ordered by name, so that shards are consecutive.
 * @throws {FormatError} when there is none, or a label map cannot be read
 */
export async function findTfFiles(source: RandomAccess, run: ConversionRun): Promise<TfFile[]> {
  const zip = await openArchive(source, run)
  const names = [...zip.files.keys()].filter((name) => stemOf(name) !== undefined).toSorted()
  if (names.length === 0)
    throw new FormatError('no TFRecord files: expected <subset>.tfrecord or <subset>.record')
  noteMissingShards(names, run)
  noteEmpty(names, zip, run)
  const subsetOf = subsetsOf(names)
  const labelsOf = labelMaps(zip)
  const files: TfFile[] = []
  for (const name of names) {
    const labels = await labelsOf(name)
    files.push({ ...fileOf(zip, name, run), subset: subsetOf(name), ...(labels && { labels }) })
  }
  return files
}

/** The extension, the number of a shard, or both in any order. */
const recordName =
  /^(.+?)(?:\.(?:tfrec(?:ords?)?|records?)(?:-\d{5}-of-\d{5})?|-\d{5}-of-\d{5}(?:\.(?:tfrec(?:ords?)?|records?))?)(?:\.gz)?$/i

/** Returns the path without extension and shard number; undefined when the member is not a record file. */
const stemOf = (name: string): string | undefined => recordName.exec(name)?.[1]

/** Reports missing shards, because their images are missing as well. Shard names contain the number of shards. */
function noteMissingShards(names: readonly string[], { report }: ConversionRun): void {
  const counts = new Map<string, number>()
  for (const name of names) {
    const [, total] = /-\d{5}-of-(\d{5})/.exec(name) ?? []
    const set = total && `${stemOf(name)}-of-${total}`
    if (set) counts.set(set, (counts.get(set) ?? 0) + 1)
  }
  for (const [set, count] of counts) {
    const missing = Number(set.slice(-5)) - count
    const reason = 'shards of the set are not in the archive'
    if (missing > 0) report.note('skipped', 'ignored-file', reason, { file: set }, missing)
  }
}

/**
 * Reports empty files.
 * @throws {FormatError} when no file has a record
 */
function noteEmpty(names: readonly string[], zip: ZipReader, { report }: ConversionRun): void {
  const empty = names.filter((name) => zip.files.get(name)?.size === 0)
  const reason = 'the file is empty: it has no record'
  if (empty.length === names.length) throw new FormatError(reason, { file: empty[0] ?? '' })
  for (const file of empty) report.note('skipped', 'ignored-file', reason, { file })
}

/** Returns the subset of a file: its name, or its folder when files in several folders have that name. */
function subsetsOf(names: readonly string[]): (name: string) => string {
  const stems = new Set(names.map((name) => stemOf(name) ?? ''))
  const alike = (base: string) => [...stems].filter((stem) => baseOf(stem) === base).length > 1
  return (name) => {
    const stem = stemOf(name) ?? ''
    const base = baseOf(stem)
    return (alike(base) && baseOf(folderOf(stem).slice(0, -1))) || base
  }
}

const mostLabelMapBytes = 4 * 1024 ** 2

/**
 * Finds the label map of a file: next to it, or else anywhere; a map named after the file first, then
 * `label_map.pbtxt`.
 */
function labelMaps(zip: ZipReader) {
  const maps = [...zip.files.keys()].filter((name) => /\.pbtxt$/i.test(name)).toSorted()
  const isUsual = (name: string) => baseOf(name).toLowerCase() === 'label_map.pbtxt'
  const read = new Map<string, Map<number, string>>()
  return async (file: string) => {
    const beside = maps.filter((name) => folderOf(name) === folderOf(file))
    const near = beside.length > 0 ? beside : maps
    const own = near.find((name) => name.startsWith(`${stemOf(file)}_label_map.`))
    const entry = zip.files.get(own ?? near.find(isUsual) ?? near[0] ?? '')
    if (!entry) return undefined
    const known = read.get(entry.name)
    if (known) return known
    const labels = readLabelMap(await zip.bytes(entry, mostLabelMapBytes), entry.name)
    read.set(entry.name, labels)
    return labels
  }
}

function fileOf(
  zip: ZipReader,
  name: string,
  { archiveLimits: limits = archiveLimits }: ConversionRun,
) {
  const entry = zip.files.get(name)
  if (!entry) throw new FormatError('the member is missing', { file: name })
  async function* packed(onBytes: (bytes: number) => void) {
    for await (const piece of entry ? zip.stream(entry) : []) {
      onBytes(piece.length)
      yield piece
    }
  }
  const records: TfFile['records'] = (onBytes) =>
    readRecords(unpacked(packed(onBytes), name, limits), name)
  return { name, size: entry.size, records }
}

/** Unpacks files that are compressed with gzip or zlib, unless their first bytes are those of a record. */
async function* unpacked(
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  limits: typeof archiveLimits,
): AsyncGenerator<Uint8Array> {
  const { head, all } = await peek(pieces)
  const unpacker = unpackerOf(head)
  if (!unpacker) {
    yield* all
    return
  }
  const counted = { packed: 0, size: 0 }
  const fault = () => new FormatError('the file does not unpack', { file })
  for await (const piece of inflateBytes(countedIn(all, counted), unpacker, fault)) {
    counted.size += piece.length
    const isBomb = counted.size > largeBytes && counted.size > counted.packed * limits.ratio
    if (isBomb || counted.size > limits.bytes)
      throw new FormatError(`it unpacks to more than ${counted.size} bytes`, { file })
    yield piece
  }
}

/** Up to this size in bytes any compression ratio is accepted. */
const largeBytes = 64 * 1024 ** 2

function unpackerOf(head: Uint8Array) {
  const [first = 0, second = 0] = head
  if (isRecordHead(head)) return undefined
  if (first === 0x1f && second === 0x8b) return createGunzip({ chunkSize: 262_144 })
  const isZlib = first === 0x78 && (first * 256 + second) % 31 === 0
  return isZlib ? createInflate({ chunkSize: 262_144 }) : undefined
}

async function* countedIn(pieces: AsyncIterable<Uint8Array>, counted: { packed: number }) {
  for await (const piece of pieces) {
    counted.packed += piece.length
    yield piece
  }
}

/** Returns the first bytes, and an iterable of all bytes. */
async function peek(pieces: AsyncIterable<Uint8Array>) {
  const iterator = pieces[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  while (head.length < headBytes) {
    const { done, value } = await iterator.next()
    if (done) break
    head = head.length === 0 ? value : Buffer.concat([head, value])
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield head
      yield* { [Symbol.asyncIterator]: () => iterator }
    } finally {
      await iterator.return?.()
    }
  }
  return { head, all: all() }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
