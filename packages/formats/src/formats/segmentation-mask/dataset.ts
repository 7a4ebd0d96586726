/** Segmentation mask archives with images, for imports that create tasks in a project. */
import type { RandomAccess } from '../../archive/source.ts'
import {
  createImageFinder,
  createMemberFinder,
  locatedImages,
  noteUnusedPictures,
  type ReferencedImage,
} from '../../importing/members.ts'
import { assumedLabels, readDeclared, readMasks, vocOrigin } from '../../masks/read-masks.ts'
import type { ConversionRun, FileDataset, FileSubset } from '../../model/dataset.ts'
import { createLabelCollector, type LabelCollector } from '../../model/file-labels.ts'
import { FormatError } from '../../report/errors.ts'
import { isImageName, pictureName } from '../../text/paths.ts'
import { isMaskFolder, type MaskArchive, openMaskArchive } from './archive.ts'
import { importMaskArchive } from './import.ts'

/** Opens an archive with one subset for each list. */
export async function openSegmentationMaskDataset(
  source: RandomAccess,
  run: ConversionRun,
): Promise<FileDataset> {
  const archive = await openMaskArchive(source, run)
  const labels = createLabelCollector()
  const declared = await readDeclared(archive)
  for (const { name } of declared ?? []) if (name !== 'ignored') labels.add(name)
  if (!declared) await addSeen(archive, labels, run)
  const { zip, root } = archive
  const masks = new Set([...archive.classes.values(), ...archive.objects.values()])
  const pictures = [...zip.files.keys()].filter((name) => isImageName(name) && !masks.has(name))
  const finders = [createMemberFinder(pictures), createImageFinder(pictures)]
  const folders = [`${root}JPEGImages/`, root]
  const subsets = archive.subsets.flatMap((subset): FileSubset[] => {
    const referenced = subset.ids.map((id): ReferencedImage => {
      const member = finders.map((finder) => finder.find([id], folders, [])).find(Boolean)
      const name = (found: string): string => pictureName(id, found)
      return { given: id, name, member, isAnnotated: archive.classes.has(id) }
    })
    const images = locatedImages(referenced, `subset ${subset.name}`)
    if (images.length === 0) return []
    const importAnnotations: FileSubset['importAnnotations'] = (target, part) =>
      importMaskArchive({ ...archive, subsets: [subset] }, target, part)
    return [{ name: subset.name, images, importAnnotations }]
  })
  if (subsets.length === 0) throw new FormatError('there are no images to make a task of')
  noteUnusedPictures(pictures, subsets, run, (name) => isMaskFolder(name.slice(root.length)))
  return { labels: labels.read(), subsets }
}

/** Adds the labels whose colours occur in the images, for archives that declare no labels. */
async function addSeen(
  archive: MaskArchive,
  labels: LabelCollector,
  run: ConversionRun,
): Promise<void> {
  for (const id of archive.subsets.flatMap(({ ids }) => ids)) {
    run.signal.throwIfAborted()
    for (const { label, isBackground } of await readMasks(
      archive,
      id,
      assumedLabels([]),
      undefined,
    ))
      if (!isBackground) labels.add(label, vocOrigin)
  }
}
