import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { detectContainer } from '@reticle/formats/archive/detect'
import type { RandomAccess } from '@reticle/formats/archive/source'
import { type MemberFile, unpackedSource } from '@reticle/formats/archive/unpacked'
import { archiveLimits, openZip, type ZipReader } from '@reticle/formats/archive/zip-reader'
import type { ImageSize } from '@reticle/formats/image/size'
import type { ConversionRun, Importer } from '@reticle/formats/model/dataset'
import { FormatError } from '@reticle/formats/report/errors'
import { isImageName } from '@reticle/formats/text/paths'
import { Failure } from '../failures/failure.ts'
import { filesBelow, nameBelow } from '../files/files-below.ts'
import { closedFile, openFile } from '../files/open-file.ts'

/** Input of a conversion, always presented as an archive. */
export interface ConversionInput {
  source: RandomAccess
  zip: ZipReader
  /** Sizes of missing images, by the archive member that they would be. */
  missing: ReadonlyMap<string, ImageSize>
  close(): Promise<void>
}

export interface InputOptions {
  /** Archive, annotation file or folder. */
  path: string
  /** Folder with the images, if separate. */
  images: string | undefined
  /** Whether some images may be missing. */
  mayMiss: boolean
}

/**
 * Opens the input of a conversion. If it contains no images, the sizes in the annotations are used.
 *
 * @throws FormatError for an unsupported file, a file-system error for a missing one
 */
export async function openInput(
  options: InputOptions,
  importer: Importer,
  run: ConversionRun,
): Promise<ConversionInput> {
  const { path, images, mayMiss } = options
  const isFolder = (await stat(path)).isDirectory()
  const file = isFolder ? undefined : await openFile(path)
  const close = async () => file?.close()
  try {
    const container = file && (await detectContainer(file))
    if (container === 'unknown')
      throw new FormatError('expected a ZIP archive, or JSON or XML', { file: basename(path) })
    const base = file && container === 'zip' ? await openZip(file) : undefined
    const files: MemberFile[] = []
    if (isFolder) files.push(...(await membersOf(path, '')))
    else if (!base) files.push(await closedFile(path, basename(path)))
    if (images !== undefined) files.push(...(await membersOf(images, 'images/', isImageName)))
    const name = basename(path)
    const source = file && base && files.length === 0 ? file : unpackedSource(files, { name, base })
    const zip = await openZip(source)
    const hasImages = [...zip.files.keys()].some(isPicture)
    if (hasImages && !mayMiss) return { source, zip, missing: new Map(), close }
    const missing = await missingImages(source, zip, importer, run)
    const more = [...missing.keys()].map((member) => ({ ...nothing, name: member }))
    const whole = missing.size === 0 ? source : unpackedSource(more, { name, base: zip })
    return { source: whole, zip: await openZip(whole), missing, close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/** Returns whether a member is an image that becomes a frame; masks are not. */
const isPicture = (name: string) =>
  isImageName(name) &&
  !name
    .split('/')
    .slice(0, -1)
    .some((folder) => ofMasks.test(folder))

const ofMasks = /^(?:Segmentation(?:Class|Object).*|Masks|Scribbles|instance|semantic(?:_rgb)?)$/

const nothing = { size: 0, read: async () => new Uint8Array() }

async function membersOf(
  folder: string,
  prefix: string,
  isIncluded: (name: string) => boolean = () => true,
): Promise<MemberFile[]> {
  const found: MemberFile[] = []
  for await (const path of filesBelow(folder)) {
    const name = prefix + nameBelow(folder, path)
    if (isIncluded(name)) found.push(await closedFile(path, name))
  }
  if (found.length === 0) throw new Failure(`There are no files in ${folder} that could be used`)
  return found
}

/** Returns the images that the annotations refer to and no archive member contains. */
async function missingImages(
  source: RandomAccess,
  zip: ZipReader,
  importer: Importer,
  run: ConversionRun,
): Promise<Map<string, ImageSize>> {
  const there = new Set([...zip.files.keys()].filter(isPicture).map(stemOf))
  const missing = new Map<string, ImageSize>()
  for await (const { member, ...size } of importer.declaredImages?.(source, run) ?? []) {
    if (!there.has(stemOf(member))) missing.set(member, size)
    if (missing.size > archiveLimits.entries)
      throw new Failure(`There are more than ${archiveLimits.entries} images`)
  }
  return missing
}

const stemOf = (name: string) => basename(name).replace(/\.[^.]+$/, '')
