/** What a LabelMe archive holds (spec/formats.md 12.2): documents anywhere in it, and the pictures of their masks. */
import { openArchive } from '../archive/open-archive.ts'
import type { RandomAccess } from '../archive/source.ts'
import type { ZipReader } from '../archive/zip-reader.ts'
import { FormatError, type Place } from '../errors.ts'
import { parentOf, withoutExtension } from '../members.ts'
import type { Run } from '../model.ts'
import { readXmlTree } from '../xml/tree.ts'
import { type LabelMeDocument, readLabelMeDocument } from './record.ts'

export interface LabelMeArchive {
  zip: ZipReader
  /** Names of its documents, sorted. */
  documents: string[]
}

/** @throws {FormatError} for what is no archive, or has no documents */
export async function openLabelMe(source: RandomAccess, run: Run): Promise<LabelMeArchive> {
  const zip = await openArchive(source, run)
  const names = [...zip.files.keys()].sort()
  const documents = names.filter((name) => /\.xml$/i.test(name))
  if (documents.length > 0) return { zip, documents }
  for (const file of names.filter((name) => /\.json$/i.test(name)).slice(0, 1))
    if (await isOfDesktopTool(zip, file))
      throw new FormatError('this is labelme desktop JSON, not LabelMe 3.0', { file })
  throw new FormatError('no LabelMe annotations: expected <subset>/<image>.xml')
}

/** The tool of the same name that has windows of its own writes one JSON file a picture. */
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
 * The folder of the subset, with its last `/`: that of the document without the one that its picture is in. What the tool calls a
 * folder is a collection, and then stands nowhere in the path.
 */
export function subsetFolder(name: string, { folder }: Pick<LabelMeDocument, 'folder'>): string {
  const own = name.slice(0, name.lastIndexOf('/') + 1)
  const isPath = folder !== '' && `/${own}`.endsWith(`/${folder}/`)
  return isPath ? own.slice(0, -folder.length - 1) : own
}

/** Where the picture may be meant to be, the likeliest first. */
export function picturePaths(name: string, document: LabelMeDocument): string[] {
  const { folder, filename } = document
  const below = withoutExtension(name.slice(subsetFolder(name, document).length))
  const said = folder === '' ? [filename] : [`${folder}/${filename}`, filename]
  return [...(filename === '' ? [] : said), withoutExtension(name), below]
}

/**
 * The picture of a mask: in `Masks/` of the subset or of all, there in the folder of its document, or beside that.
 * @throws {FormatError} naming it where it is nowhere
 */
export async function findMaskPicture(
  { zip }: LabelMeArchive,
  name: string,
  document: LabelMeDocument,
  picture: string,
  place: Place,
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
  throw new FormatError(`the mask ${picture} is missing`, place)
}
