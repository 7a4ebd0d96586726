import type { RandomAccess } from '../../archive/source.ts'
import { fileName } from '../../exporting/export-files.ts'
import type { ConversionRun, DeclaredImage } from '../../model/dataset.ts'
import { folderOf } from '../../text/paths.ts'
import { findServiceArchive } from './documents.ts'
import type { DescribedTask } from './read-meta.ts'
import { type Survey, surveyOf } from './survey.ts'

/**
 * Yields images with the sizes that documents declare, and frames of videos, under the paths that exports use: below
 * a folder next to the document, in projects with a folder for each subset.
 */
export async function* declaredServiceImages(
  source: RandomAccess,
  run: ConversionRun,
): AsyncGenerator<DeclaredImage> {
  const { documents } = await findServiceArchive(source, run)
  for (const document of documents) {
    const folder = `${folderOf(document.name)}images/`
    const survey = await surveyOf(document, run)
    for (const image of imagesIn(survey)) yield { ...image, member: folder + image.member }
  }
}

function* imagesIn(survey: Survey): Generator<DeclaredImage> {
  const elements = [...survey.elements.values()]
  const isSplit = survey.isProject || elements.some(({ subset }) => subset !== undefined)
  const subfolderOf = (subset: string | undefined) =>
    isSplit ? `${fileName(subset ?? survey.subset)}/` : ''
  let hasImages = false
  for (const { subset, images } of elements)
    for (const { name, width, height } of images) {
      hasImages = true
      if (name !== undefined && width && height)
        yield { member: subfolderOf(subset) + name, width, height }
    }
  if (hasImages) return
  for (const task of survey.tasks) yield* framesOf(task, subfolderOf(task.subset))
}

/** Yields the frames of a video under the names that exports use. */
function* framesOf(
  { isVideo, original, start, step, count }: DescribedTask,
  folder: string,
): Generator<DeclaredImage> {
  if (!isVideo || !original) return
  for (let index = 0; index < count; index += 1) {
    const number = String(start + step * index).padStart(6, '0')
    yield { member: `${folder}frame_${number}.PNG`, ...original }
  }
}
