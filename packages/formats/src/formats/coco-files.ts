/** Which files of an upload hold COCO annotations (spec/formats.md 8.3, row "files"). */
import { detectContainer } from '../archive/detect.ts'
import { type RandomAccess, readPieces } from '../archive/source.ts'
import { openZip, type ZipReader } from '../archive/zip-reader.ts'
import { FormatError } from '../errors.ts'
import { createScanner } from '../json/scan.ts'
import type { Run } from '../model.ts'

export interface CocoFile {
  name: string
  subset: string
  size: number
  /** The bytes from their start; may be read more than once. */
  read(): AsyncIterable<Uint8Array>
}

/**
 * The annotation files of a bare JSON document or an archive in any of the layouts tools write.
 * @throws {FormatError} when there is none.
 */
export async function findCocoFiles(source: RandomAccess, run: Run): Promise<CocoFile[]> {
  const container = await detectContainer(source)
  if (container === 'json') return [bareFile(source)]
  if (container !== 'zip') throw new FormatError('expected a JSON file or a ZIP archive')
  const zip = await openZip(source, run.archiveLimits)
  for (const name of zip.duplicates) {
    const reason = 'the archive has several members of one name, the last is used'
    run.report.note('skipped', 'duplicate-entry', reason, { file: name })
  }
  return filesIn(zip, run)
}

function bareFile(source: RandomAccess): CocoFile {
  const name = 'annotations.json'
  return { name, subset: 'default', size: source.size, read: () => readPieces(source) }
}

async function filesIn(zip: ZipReader, run: Run): Promise<CocoFile[]> {
  const documents = [...zip.files.keys()].filter((name) => /\.json$/i.test(name))
  const names = await chooseNames(zip, documents)
  if (names.length === 0) {
    throw new FormatError(
      documents.length > 0
        ? `no instances in ${documents.slice(0, 10).join(', ')}`
        : 'no COCO annotations: expected annotations/instances_<subset>.json',
    )
  }
  for (const name of documents) {
    if (names.includes(name)) continue
    run.report.note('skipped', 'ignored-file', 'not a file of instances', { file: name })
  }
  return names.toSorted().flatMap((name) => fileOf(zip, name) ?? [])
}

/** The first rule that finds anything decides. */
async function chooseNames(zip: ZipReader, documents: string[]): Promise<string[]> {
  const instances = documents.filter((name) => /^instances_.+\.json$/.test(baseOf(name)))
  if (instances.length > 0) return instances
  const inFolder = documents.filter(
    (name) => /(?:^|\/)annotations\/[^/]+$/.test(name) && !otherTasks.test(baseOf(name)),
  )
  if (inFolder.length > 0) return inFolder
  const besideImages = documents.filter((name) => baseOf(name) === '_annotations.coco.json')
  if (besideImages.length > 0) return besideImages
  const found: string[] = []
  for (const name of documents) {
    if (!otherTasks.test(baseOf(name)) && (await looksLikeCoco(zip, name))) found.push(name)
  }
  return found
}

/** Files of the data set's other tasks: they have no objects, or need pictures to find them. */
const otherTasks = /^(?:captions|image_info|labels|panoptic)_.*\.json$/

/** Reads the keys of the root only; what is no JSON is no annotation file either. */
async function looksLikeCoco(zip: ZipReader, name: string): Promise<boolean> {
  const entry = zip.files.get(name)
  if (!entry) return false
  const keys = new Set<string>()
  const scanner = createScanner({
    wanted: (key) => {
      keys.add(key)
      return false
    },
  })
  try {
    for await (const piece of zip.stream(entry)) {
      for (const _ of scanner.feed(piece));
      if (keys.has('images') && keys.has('annotations')) return true
    }
  } catch {
    return false
  }
  return false
}

function fileOf(zip: ZipReader, name: string): CocoFile | undefined {
  const entry = zip.files.get(name)
  if (!entry) return undefined
  return { name, subset: subsetOf(name), size: entry.size, read: () => zip.stream(entry) }
}

/** `instances_val.json`, `person_keypoints_val.json` and `val/_annotations.coco.json` are of `val`. */
function subsetOf(name: string): string {
  const base = baseOf(name)
  if (base === '_annotations.coco.json') return name.split('/').at(-2) ?? 'default'
  return /^(?:instances|person_keypoints|stuff)_(.+)\.json$/.exec(base)?.[1] ?? 'default'
}

function baseOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}
