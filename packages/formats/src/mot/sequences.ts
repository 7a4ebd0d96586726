/** Which files of an archive are MOT sequences (spec/formats.md 14.2). */
import type { ZipEntry, ZipReader } from '../archive/zip-reader.ts'
import { FormatError } from '../errors.ts'
import { distinctNames } from '../export-files.ts'
import { linesOf } from '../text-lines.ts'

export interface MotSequence {
  /** That of its folder. */
  name: string
  /** Its folder, with the last `/`. */
  root: string
  rows: ZipEntry
  /** The rows are what a detector found, not the truth. */
  isDetections: boolean
}

/** Folders around a sequence, at most. */
const mostWrapping = 3

/**
 * The sequences of an archive by their folders; where the truth is told, detections are left aside.
 * @throws {FormatError} when there is none
 */
export function findSequences({ files }: ZipReader): MotSequence[] {
  const found = new Map<string, Omit<MotSequence, 'name'>>()
  for (const kind of ['det', 'gt']) {
    const file = `${kind}/${kind}.txt`
    for (const [name, rows] of files) {
      if (name !== file && !name.endsWith(`/${file}`)) continue
      const root = name.slice(0, -file.length)
      if (root.split('/').length - 1 > mostWrapping) continue
      found.set(root, { root, rows, isDetections: kind === 'det' })
    }
  }
  if (found.size === 0)
    throw new FormatError(
      `no MOT annotations: expected gt/gt.txt, in ${mostWrapping} folders at most`,
    )
  const sequences = [...found.values()].sort((a, b) => (a.root < b.root ? -1 : 1))
  const folderOf = (root: string): string => root.split('/').at(-2) ?? 'default'
  const names = distinctNames(
    sequences.map(({ root }) => root),
    folderOf,
  )
  return sequences.map((one) => ({ ...one, name: names.get(one.root) ?? one.root }))
}

/** Names of classes in the order of their ids from 1; undefined where no file has them. */
export async function readLabels(
  zip: ZipReader,
  { root }: MotSequence,
): Promise<string[] | undefined> {
  const names = ['gt/labels.txt', 'det/labels.txt', 'labels.txt']
  const [entry] = names.flatMap((name) => zip.files.get(`${root}${name}`) ?? [])
  if (!entry) return undefined
  const lines = linesOf(await zip.bytes(entry), entry.name).map(({ text }) => text.trim())
  while (lines.at(-1) === '') lines.pop()
  return lines
}

/** The classes of the MOT challenge, for sequences that name none. */
export const officialLabels: readonly string[] = [
  'pedestrian',
  'person on vehicle',
  'car',
  'bicycle',
  'motorbike',
  'non motorized vehicle',
  'static person',
  'distractor',
  'occluder',
  'occluder on the ground',
  'occluder full',
  'reflection',
  'crowd', // of MOT20
]

/** Why names of classes are those of the MOT challenge, for messages. */
export const officialOrigin =
  'gt/labels.txt is not in the archive, so class numbers are read as the official classes of the MOT challenge: ' +
  'add gt/labels.txt with a class name per line'

/** What a seqinfo.ini says of the sequence; absent is what it does not say. */
export interface SequenceInfo {
  file: string
  length: number | undefined
  width: number | undefined
  height: number | undefined
}

export async function readInfo(
  zip: ZipReader,
  { root }: MotSequence,
): Promise<SequenceInfo | undefined> {
  const entry = zip.files.get(`${root}seqinfo.ini`)
  if (!entry) return undefined
  const values = new Map<string, number>()
  for (const { text } of linesOf(await zip.bytes(entry), entry.name)) {
    const [, key, value] = /^\s*(\w+)\s*=\s*(\d+)$/.exec(text) ?? []
    if (key !== undefined) values.set(key.toLowerCase(), Number(value))
  }
  const size = { width: values.get('imwidth'), height: values.get('imheight') }
  return { file: entry.name, length: values.get('seqlength'), ...size }
}
