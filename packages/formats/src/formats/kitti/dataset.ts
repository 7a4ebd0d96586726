/** KITTI archives with images, for imports that create tasks in a project. */
import type { RandomAccess } from '../../archive/source.ts'
import { locatedImages, type ReferencedImage } from '../../importing/members.ts'
import type { ConversionRun, FileDataset, FileSubset } from '../../model/dataset.ts'
import { createLabelCollector, type LabelCollector } from '../../model/file-labels.ts'
import { FormatError } from '../../report/errors.ts'
import { pictureName } from '../../text/paths.ts'
import { type KittiArchive, type KittiItem, openKitti } from './archive.ts'
import { importKittiArchive } from './import.ts'
import { assumedClasses, writtenName } from './label-colors.ts'
import { readKittiMasks } from './masks.ts'
import { dontCare, readObjects } from './objects.ts'

export async function openKittiDataset(
  source: RandomAccess,
  run: ConversionRun,
): Promise<FileDataset> {
  const archive = await openKitti(source, run)
  const labels = createLabelCollector()
  for (const { name } of archive.declared ?? []) if (name !== 'unlabeled') labels.add(name)
  const subsets: FileSubset[] = []
  for (const subset of archive.subsets) {
    const referenced: ReferencedImage[] = []
    for (const item of subset.items) {
      run.signal.throwIfAborted()
      const id = item.paths.at(-1) ?? ''
      const isAnnotated = await noteLabels(item, archive, labels)
      const name = (member: string): string => pictureName(id, member)
      referenced.push({ given: id, name, member: item.image_2, isAnnotated })
    }
    const images = locatedImages(referenced, `subset ${subset.name}`)
    if (images.length === 0) continue
    const importAnnotations: FileSubset['importAnnotations'] = (target, part) =>
      importKittiArchive({ ...archive, subsets: [subset] }, target, part)
    subsets.push({ name: subset.name, images, importAnnotations })
  }
  if (subsets.length === 0) throw new FormatError('there are no images to make a task of')
  const isWrittenFor = (name: string) => (label: string) => writtenName(label) === name
  const named = labels.read().map((one) => ({ ...one, isWrittenFor: isWrittenFor(one.name) }))
  return { labels: named, subsets }
}

/** Returns whether an image has annotations; records their labels on the way. */
async function noteLabels(
  item: KittiItem,
  { zip, declared }: KittiArchive,
  labels: LabelCollector,
): Promise<boolean> {
  let count = 0
  for await (const { type, truncated } of readObjects(zip, item.label_2 ?? '')) {
    if (type === dontCare) continue
    count += 1
    labels.add(type)
    if (truncated > 0) labels.note(type, 'truncated', true, false)
  }
  const hasPicture = [item.instance, item.semantic, item.semantic_rgb].some(Boolean)
  if (declared) return count > 0 || hasPicture
  const classes = assumedClasses([])
  const masks = await readKittiMasks(zip, item, classes, undefined)
  const own = masks.filter(({ isBackground }) => !isBackground)
  for (const { label } of own) labels.add(label, classes.origin)
  return count + own.length > 0
}
