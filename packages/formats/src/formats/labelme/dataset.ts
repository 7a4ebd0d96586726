/** LabelMe archives with images, for imports that create tasks in a project. */
import type { RandomAccess } from '../../archive/source.ts'
import {
  createImageFinder,
  createMemberFinder,
  locatedImages,
  noteUnusedPictures,
  type ReferencedImage,
} from '../../importing/members.ts'
import type { ConversionRun, FileDataset, FileSubset } from '../../model/dataset.ts'
import { createLabelCollector, type LabelCollector } from '../../model/file-labels.ts'
import {
  commonFolder,
  isImageName,
  parentOf,
  pictureName,
  withoutExtension,
} from '../../text/paths.ts'
import {
  type LabelMeArchive,
  openLabelMe,
  picturePaths,
  readDocument,
  subsetFolder,
} from './archive.ts'
import { importLabelMeArchive } from './import.ts'
import { customValues, type LabelMeDocument } from './record.ts'

/** Opens a LabelMe archive with one subset for each folder of documents. */
export async function openLabelMeDataset(
  source: RandomAccess,
  run: ConversionRun,
): Promise<FileDataset> {
  const archive = await openLabelMe(source, run)
  const labels = createLabelCollector()
  const find = pictureFinder(archive)
  const referenced: ReferencedInFolder[] = []
  for (const document of archive.documents) {
    run.signal.throwIfAborted()
    const content = await readDocument(archive, document)
    noteLabels(content, labels)
    const folder = subsetFolder(document, content)
    const path = withoutExtension(document.slice(folder.length))
    referenced.push({
      document,
      folder,
      given: content.filename || path,
      name: (member) => pictureName(path, member),
      member: find(document, content),
      isAnnotated: content.objects.length > 0,
    })
  }
  const subsets = [...bySubset(referenced)].flatMap(([name, own]) => {
    const images = locatedImages(own, `subset ${name}`)
    const documents = own.map(({ document }) => document)
    const importAnnotations: FileSubset['importAnnotations'] = (target, part) =>
      importLabelMeArchive({ ...archive, documents }, target, part)
    return { name, images, importAnnotations }
  })
  noteUnusedPictures(archive.zip.files.keys(), subsets, run, isOfTool)
  return { labels: labels.read(), subsets }
}

interface ReferencedInFolder extends ReferencedImage {
  /** The document of the image, and the folder of its subset. */
  document: string
  folder: string
}

function noteLabels({ objects }: LabelMeDocument, labels: LabelCollector): void {
  for (const object of objects) {
    if (object.label !== '') labels.add(object.label)
    for (const [name, value] of customValues(object))
      labels.note(object.label, name, value, object.isOfTrack)
  }
}

/**
 * Groups images by subset, which is named after the first folder that differs between subsets, or after the only
 * folder.
 */
function bySubset(referenced: readonly ReferencedInFolder[]): Map<string, ReferencedInFolder[]> {
  const folders = new Set(referenced.map(({ folder }) => folder))
  let shared = commonFolder([...folders])
  if (folders.has(shared)) shared = parentOf(shared)
  const subsets = new Map<string, ReferencedInFolder[]>()
  for (const one of referenced) {
    const [first = ''] = one.folder.slice(shared.length).split('/')
    const name = first === '' || first === 'Annotations' ? 'default' : first
    const others = subsets.get(name)
    if (others) others.push(one)
    else subsets.set(name, [one])
  }
  return subsets
}

/**
 * Finds images next to their documents, in the folder `Images/` of the web tool, or by a name that is unique in the
 * archive.
 */
function pictureFinder({ zip }: LabelMeArchive) {
  const names = [...zip.files.keys()].filter((name) => isImageName(name) && !isOfTool(name))
  const exact = createMemberFinder(names)
  const stems = createImageFinder(names)
  return (document: string, content: LabelMeDocument): string | undefined => {
    const paths = picturePaths(document, content)
    const subset = subsetFolder(document, content)
    const own = document.slice(0, document.lastIndexOf('/') + 1)
    const images = `${subset.replace(/Annotations\/$/, '')}Images/`
    const folders = [subset, own, images]
    return exact.find(paths, folders, []) ?? stems.find(paths.map(withoutExtension), folders, [])
  }
}

/** Returns whether a file is an image of a mask, or of the strokes from which the tool made it. */
const isOfTool = (name: string): boolean => /(^|\/)(Masks|Scribbles)\//.test(name)
