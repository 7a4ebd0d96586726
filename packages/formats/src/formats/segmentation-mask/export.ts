/** Exports Segmentation mask: the masks of one frame at a time, then the list of the subset. */
import type { ArchiveFile } from '../../archive/zip-writer.ts'
import {
  distinctNames,
  documentsRun,
  everyFrame,
  imageFiles,
  inOneFolder,
  itemIds,
} from '../../exporting/export-files.ts'
import { carriesOnly, createLosses, featuresOf } from '../../exporting/losses.ts'
import { maskInstances } from '../../masks/instances.ts'
import { labelMapName, labelMapText } from '../../masks/label-map.ts'
import { listLine } from '../../masks/lists.ts'
import { projectColors } from '../../masks/project-colors.ts'
import { classAndObjectFiles } from '../../masks/write-pictures.ts'
import type { ConversionRun, Dataset } from '../../model/dataset.ts'

/** How each kind of annotation is exported; published to clients and used by the export. */
export const carries = carriesOnly({
  rectangle: 'converted',
  polygon: 'converted',
  ellipse: 'converted',
  mask: 'kept',
})

export const features = featuresOf('dropped', {
  tracks: 'converted',
  rotation: 'converted',
  group: 'converted',
  z_order: 'converted',
})

export async function* exportSegmentationMask(
  given: Dataset,
  run: ConversionRun,
): AsyncGenerator<ArchiveFile> {
  const dataset = inOneFolder(given)
  const { labels, subsets } = dataset
  const map = projectColors(labels, run)
  yield { path: labelMapName, content: labelMapText(map) }
  const colors = new Map(map.map(({ name, color = 0 }) => [name, color]))
  const byId = new Map(labels.map((label) => [label.id, label]))
  const losses = createLosses('Segmentation mask 1.1', { carries, features }, run)
  const pictureRun = documentsRun(dataset, run)
  const listNames = distinctNames(subsets.map(({ name }) => name))
  const allFrames = subsets.reduce((sum, { frames }) => sum + frames.length, 0)
  const taken = new Set<string>()
  let done = 0
  for (const subset of subsets) {
    const ids = itemIds(subset.frames, run, taken)
    const lines: string[] = []
    for await (const { frame, item } of everyFrame(subset)) {
      run.signal.throwIfAborted()
      const id = ids[item.index] ?? ''
      const instances = maskInstances(losses.written(item, frame), byId, frame, run)
      yield* classAndObjectFiles(id, instances, frame, (label) => colors.get(label) ?? 0)
      const isEmpty = item.shapes.length === 0 && item.tags.length === 0
      if (instances.length > 0 || isEmpty) lines.push(listLine(id))
      done += 1
      pictureRun.progress(done / allFrames)
    }
    const list = listNames.get(subset.name) ?? subset.name
    yield { path: `ImageSets/Segmentation/${list}.txt`, content: lines.join('') }
  }
  if (dataset.saveImages) yield* imageFiles(dataset, run, () => 'JPEGImages')
}
