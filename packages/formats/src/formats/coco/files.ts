/** Finds the files of an upload that contain COCO annotations. */
import { detectUpload } from '../../archive/detect.ts'
import { type RandomAccess, readPieces } from '../../archive/source.ts'
import type { ZipReader } from '../../archive/zip-reader.ts'
import { createMemberFinder, type MemberFinder } from '../../importing/members.ts'
import { openArchive } from '../../importing/open-archive.ts'
import { createScanner, ScanError } from '../../json/scan.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { baseOf, folderOf } from '../../text/paths.ts'

export interface CocoFile {
  name: string
  subset: string
  size: number
  /** Reads the bytes from the start; may be called more than once. */
  read(): AsyncIterable<Uint8Array>
  /** Only for panoptic files: reads the image whose colours are segment ids. */
  picture?: (name: string) => Promise<Uint8Array>
}

/**
 * Finds the annotation files in a bare JSON document or in an archive of any layout that tools write.
 * @throws {FormatError} when none is found
 */
export async function findCocoFiles(source: RandomAccess, run: ConversionRun): Promise<CocoFile[]> {
  const container = await detectUpload(source)
  if (container === 'json') return [bareFile(source)]
  if (container !== 'zip') throw new FormatError('expected a JSON file or a ZIP archive')
  return (await openFiles(source, run)).files
}

/**
 * Finds the annotation files of an archive, for imports that need images.
 * @throws {FormatError} when the upload is not an archive or contains no annotations
 */
export async function findCocoArchive(
  source: RandomAccess,
  run: ConversionRun,
): Promise<{ files: CocoFile[]; zip: ZipReader }> {
  if ((await detectUpload(source)) !== 'zip')
    throw new FormatError('media is required: send a ZIP archive with the images')
  return openFiles(source, run)
}

async function openFiles(source: RandomAccess, run: ConversionRun) {
  const zip = await openArchive(source, run)
  return { files: await filesIn(zip, run), zip }
}

function bareFile(source: RandomAccess): CocoFile {
  const name = source.name ?? 'annotations.json'
  return { name, subset: 'default', size: source.size, read: () => readPieces(source) }
}

async function filesIn(zip: ZipReader, run: ConversionRun): Promise<CocoFile[]> {
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
  const members = createMemberFinder(zip.files.keys())
  const isAlone = names.length === 1
  return names.toSorted().flatMap((name) => {
    const entry = zip.files.get(name)
    if (!entry) return []
    const picture = pictureFinder(zip, members, name)
    const file = { name, subset: subsetOf(name, isAlone), size: entry.size, picture }
    return [{ ...file, read: () => zip.stream(entry) }]
  })
}

/** Returns the folder of a dataset, with its trailing `/`: annotation files are in it or in its `annotations/`. */
export function rootOfSet(name: string): string {
  const folder = folderOf(name)
  return folder.endsWith('annotations/') ? folder.slice(0, -'annotations/'.length) : folder
}

/** Returns the files of the first rule that matches any. */
async function chooseNames(zip: ZipReader, documents: string[]): Promise<string[]> {
  const instances = documents.filter((name) => taskOf(name) === 'instances')
  if (instances.length > 0) return instances
  const inFolder = documents.filter((name) => /(?:^|\/)annotations\/$/.test(folderOf(name)))
  for (const task of readableTasks) {
    const names = inFolder.filter((name) => taskOf(name) === task)
    if (names.length > 0) return names
  }
  const besideImages = documents.filter((name) => baseOf(name) === '_annotations.coco.json')
  if (besideImages.length > 0) return besideImages
  const found: string[] = []
  for (const name of documents) {
    if (taskOf(name) === undefined && (await looksLikeCoco(zip, name))) found.push(name)
  }
  return found
}

/**
 * Order of preference when no file is named after instances: files with free names, then tasks of COCO that have
 * objects.
 */
const readableTasks = [undefined, 'person_keypoints', 'panoptic', 'stuff']

/** Returns the COCO task that a file name indicates. */
function taskOf(name: string): string | undefined {
  return taskNames.exec(baseOf(name))?.[1]
}

const taskNames =
  /^(instances|person_keypoints|panoptic|stuff|captions|image_info|labels)_(.+)\.json$/

/** Reads only the keys of the root. A file that is not JSON is not an annotation file. */
async function looksLikeCoco(zip: ZipReader, name: string): Promise<boolean> {
  const entry = zip.files.get(name)
  if (!entry) return false
  const keys = new Set<string>()
  const scanner = createScanner({
    selects: (key) => {
      keys.add(key)
      return false
    },
  })
  try {
    for await (const piece of zip.stream(entry)) {
      for (const _ of scanner.feed(piece));
      if (keys.has('images') && keys.has('annotations')) return true
    }
  } catch (error) {
    if (!(error instanceof ScanError)) throw error
  }
  return false
}

/** Returns a reader for the images of a panoptic file, which are in a folder named after the file. */
function pictureFinder(zip: ZipReader, members: MemberFinder, name: string) {
  const folder = name.replace(/\.json$/i, '')
  const around = folder.slice(0, folder.lastIndexOf('/') + 1)
  return async (picture: string): Promise<Uint8Array> => {
    const found = members.find([`${baseOf(folder)}/${picture}`], [around, ''], [])
    const member = zip.files.get(found ?? '')
    if (member) return zip.bytes(member)
    const packed = `${folder}.zip`
    const reason = zip.files.has(packed) ? `it may be in ${packed}, unpack that into a folder` : ''
    const reasons = ['the picture is missing', reason].filter(Boolean).join(': ')
    throw new FormatError(reasons, { file: `${folder}/${picture}` })
  }
}

/**
 * Returns the subset of a file: `val` for `instances_val.json`, `person_keypoints_val.json` and
 * `val/_annotations.coco.json`, and for `val.json` when it is one of several files.
 */
function subsetOf(name: string, isAlone: boolean): string {
  const base = baseOf(name)
  if (base === '_annotations.coco.json') return name.split('/').at(-2) ?? 'default'
  return taskNames.exec(base)?.[2] ?? (isAlone ? 'default' : base.replace(/\.json$/i, ''))
}
