/** Reads the layout of a LabelMe archive: documents in any folder, and the images of their masks. */

import type { RandomAccess } from '../../archive/source.ts'
import type { ZipReader } from '../../archive/zip-reader.ts'
import { openArchive } from '../../importing/open-archive.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { parentOf, withoutExtension } from '../../text/paths.ts'
import { readXmlTree } from '../../xml/tree.ts'
import { type LabelMeDocument, readLabelMeDocument } from './record.ts'

export interface LabelMeArchive {
  zip: ZipReader
  /** Names of the documents, sorted. */
  documents: string[]
}

/**
 * Opens a LabelMe archive.
 * @throws {FormatError} when the upload is not an archive or contains no documents
 */
export async function openLabelMe(
  source: RandomAccess,
  run: ConversionRun,
): Promise<LabelMeArchive> {
  const zip = await openArchive(source, run)
  const names = [...zip.files.keys()].sort()
  const documents = names.filter((name) => /\.xml$/i.test(name))
  if (documents.length > 0) return { zip, documents }
  for (const file of names.filter((name) => /\.json$/i.test(name)).slice(0, 1))
    if (await isOfDesktopTool(zip, file))
      throw new FormatError('this is labelme desktop JSON, not LabelMe 3.0', { file })
  throw new FormatError('no LabelMe annotations: expected <subset>/<image>.xml')
}

/** Returns whether a JSON file is from the desktop tool of the same name, which writes one for each image. */
async function isOfDesktopTool(zip: ZipReader, name: string): Promise<boolean> {
  const entry = zip.files.get(name)
  let text = ''
  for await (const piece of entry ? zip.stream(entry) : []) {
    text += Buffer.from(piece).toString('latin1')
    if (/"(shapes|imageData|imagePath)"\s*:/.test(text)) return true
    if (text.length > mostCharacters) return false
  }
  return false
}

const mostCharacters = 1_048_576

export async function readDocument(
  { zip }: LabelMeArchive,
  name: string,
): Promise<LabelMeDocument> {
  const entry = zip.files.get(name)
  if (!entry) throw new FormatError('the document is missing', { file: name })
  return readLabelMeDocument(readXmlTree(await zip.bytes(entry), name), name)
}

/**
 * Returns the folder of the subset, with its trailing `/`: the folder of the document without the `folder` that the
 * document names. When `folder` is a collection of the web tool, it is not part of the path.
 */
export function subsetFolder(name: string, { folder }: Pick<LabelMeDocument, 'folder'>): string {
  const own = name.slice(0, name.lastIndexOf('/') + 1)
  const isPath = folder !== '' && `/${own}`.endsWith(`/${folder}/`)
  return isPath ? own.slice(0, -folder.length - 1) : own
}

/** Returns the possible paths of the image, most likely first. */
export function picturePaths(name: string, document: LabelMeDocument): string[] {
  const { folder, filename } = document
  const below = withoutExtension(name.slice(subsetFolder(name, document).length))
  const stated = folder === '' ? [filename] : [`${folder}/${filename}`, filename]
  return [...(filename === '' ? [] : stated), withoutExtension(name), below]
}

/**
 * Finds the image of a mask: first in `Masks/<folder>/` of the subset and its parents, then in their `Masks/`, then
 * next to the document.
 * @throws {FormatError} that names the image when it is missing
 */
export async function findMaskPicture(
  { zip }: LabelMeArchive,
  name: string,
  document: LabelMeDocument,
  picture: string,
  location: ErrorLocation,
): Promise<{ bytes: Uint8Array; file: string }> {
  const subset = subsetFolder(name, document)
  const parent = parentOf(subset)
  const own = name.slice(0, name.lastIndexOf('/') + 1)
  const folders = [subset, own, parent, ''].map((folder) => `${folder}Masks/`)
  const inside = document.folder === '' ? [] : folders.map((one) => `${one}${document.folder}/`)
  for (const folder of [...inside, ...folders, own]) {
    const entry = zip.files.get(`${folder}${picture}`)
    if (entry) return { bytes: await zip.bytes(entry), file: entry.name }
  }
  throw new FormatError(`the mask ${picture} is missing`, location)
}
