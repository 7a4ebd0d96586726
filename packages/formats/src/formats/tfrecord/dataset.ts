/** TFRecord archives, whose records contain the images, for imports that create tasks in a project. */
import type { RandomAccess } from '../../archive/source.ts'
import { locatedImages } from '../../importing/members.ts'
import type { ConversionRun, EmbeddedImage, FileDataset, FileSubset } from '../../model/dataset.ts'
import { createLabelCollector, type LabelCollector } from '../../model/file-labels.ts'
import { FormatError } from '../../report/errors.ts'
import { findTfFiles, type TfFile } from './files.ts'
import { importTfFiles, nameOf } from './import.ts'
import { frameName, readPicture } from './picture.ts'

/** Opens an archive with one subset for each file name; shards belong to one subset. */
export async function openTfDataset(
  source: RandomAccess,
  run: ConversionRun,
): Promise<FileDataset> {
  const files = await findTfFiles(source, run)
  const labels = createLabelCollector()
  for (const { labels: known = [] } of files)
    for (const [, name] of [...known].toSorted(([a], [b]) => a - b)) if (name) labels.add(name)
  const subsets: FileSubset[] = []
  for (const name of new Set(files.map(({ subset }) => subset))) {
    const own = files.filter(({ subset }) => subset === name)
    const count = await look(own, labels, run)
    if (count === 0) run.report.note('skipped', 'ignored-file', 'it has no images', { file: name })
    else
      subsets.push({
        name,
        images: [],
        embedded: () => imagesIn(own, run),
        importAnnotations: (target, part) => importTfFiles(own, target, part),
      })
  }
  if (subsets.length === 0) throw new FormatError('there are no images to make a task of')
  return { labels: labels.read(), subsets }
}

/** Records the labels of all objects, and returns the number of images. */
async function look(
  files: readonly TfFile[],
  labels: LabelCollector,
  run: ConversionRun,
): Promise<number> {
  const wanted = []
  for (const file of files)
    for await (const record of file.records(() => run.signal.throwIfAborted())) {
      const picture = readPicture(record)
      const given = frameName(picture, record.location)
      for (const object of picture.objects) {
        const label = nameOf(object, file.labels ?? noLabels)
        if (label !== '') labels.add(label)
      }
      const member = picture.encoded.length > 0 ? given : undefined
      const isAnnotated = picture.objects.length > 0
      wanted.push({ given, name: () => given, member, isAnnotated })
    }
  return locatedImages(wanted, files.map(({ name }) => name).join(', ')).length
}

const noLabels: ReadonlyMap<number, string> = new Map()

/** Yields the images in the order of the records; for equal names only the first. */
async function* imagesIn(
  files: readonly TfFile[],
  run: ConversionRun,
): AsyncGenerator<EmbeddedImage> {
  const seen = new Set<string>()
  for (const file of files)
    for await (const record of file.records(() => run.signal.throwIfAborted())) {
      const picture = readPicture(record)
      const name = frameName(picture, record.location)
      if (picture.encoded.length === 0) continue
      if (seen.has(name))
        run.report.note('skipped', 'duplicate-entry', 'a second picture of that name', {
          file: file.name,
          item: name,
        })
      else yield { name, content: picture.encoded }
      seen.add(name)
    }
}
