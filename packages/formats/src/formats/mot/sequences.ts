/** Finds the MOT sequences of an archive. */
import type { ZipEntry, ZipReader } from '../../archive/zip-reader.ts'
import { distinctNames } from '../../exporting/export-files.ts'
import { FormatError } from '../../report/errors.ts'
import { linesOf } from '../../text/text-lines.ts'

export interface MotSequence {
  /** Name of the folder of the sequence. */
  name: string
  /** Folder of the sequence, with its trailing `/`. */
  root: string
  rows: ZipEntry
  /** True when the rows are detections instead of ground truth. */
  isDetections: boolean
}

/** Maximum number of folders around a sequence. */
const mostWrapping = 3

/**
 * Returns the sequences of an archive by their folders; detections are ignored where ground truth exists.
 * @throws {FormatError} when there is no sequence
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

/** Reads the names of classes in the order of their ids from 1; undefined without a file of names. */
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

/** Classes of the MOT challenge, for sequences that do not name theirs. */
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
  'crowd', // only in MOT20
]

/** Explains for messages why class names are those of the MOT challenge. */
export const officialOrigin =
  'gt/labels.txt is not in the archive, so class numbers are read as the official classes of the MOT challenge: ' +
  'add gt/labels.txt with a class name per line'

/** Fields of a seqinfo.ini; undefined when missing. */
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
