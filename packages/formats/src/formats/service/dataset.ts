/** Native archives with images, for imports that create tasks in a project. */
import type { RandomAccess } from '../../archive/source.ts'
import { noteUnusedPictures } from '../../importing/members.ts'
import type { ConversionRun, FileDataset, FileImage, FileSubset } from '../../model/dataset.ts'
import type { FileLabel } from '../../model/file-labels.ts'
import { FormatError } from '../../report/errors.ts'
import { type AssignedTask, assignPictures } from './assign-pictures.ts'
import { createByteCounter, findServiceArchive, type ServiceDocument } from './documents.ts'
import { groupByImageFolder, type ImageFolder } from './image-folders.ts'
import { importDocuments } from './import.ts'
import { type PicturesOf, picturesOf } from './pictures.ts'
import { type FolderTasks, subsetFrames } from './subset-frames.ts'
import { type Survey, surveyOf } from './survey.ts'
import { mergedLabels } from './used-labels.ts'

/** Opens an archive with one subset for all tasks that name it, one after the other. */
export async function openServiceDataset(
  source: RandomAccess,
  run: ConversionRun,
): Promise<FileDataset> {
  const { documents, zip } = await findServiceArchive(source, run)
  const surveys = new Map<string, Survey>()
  let labels: FileLabel[] = []
  for (const document of documents) {
    const survey = await surveyOf(document, run)
    surveys.set(document.name, survey)
    labels = mergedLabels(labels, survey.labels)
  }
  const names = [...zip.files.keys()]
  const imageFolders = groupByImageFolder(surveys, names)
  const found = picturesOf(names, imageFolders)
  const subsets = [
    ...new Set(imageFolders.flatMap(({ tasks }) => tasks.map(({ subset }) => subset))),
  ]
  const opened = subsets
    .sort()
    .flatMap((name) => openSubset(name, { imageFolders, found, documents }, run))
  if (opened.length === 0) throw new FormatError('there are no images to make a task of')
  noteUnusedPictures(names, opened, run)
  return { labels, subsets: opened }
}

interface Opened {
  imageFolders: readonly ImageFolder[]
  found: PicturesOf
  documents: readonly ServiceDocument[]
}

function openSubset(
  name: string,
  { imageFolders, found, documents }: Opened,
  run: ConversionRun,
): FileSubset[] {
  const assigned = imageFolders.flatMap((imageFolder): FolderTasks[] => {
    const tasks = imageFolder.tasks.filter(({ subset }) => subset === name)
    return tasks.length === 0
      ? []
      : [{ imageFolder, tasks: assignPictures(tasks, found(imageFolder, name)) }]
  })
  const tasks = assigned.flatMap((one) => one.tasks)
  const files = new Set(tasks.flatMap(({ task }) => [...task.files]))
  const images = imagesOf(tasks)
  if (images.length === 0) {
    const file = [...files].join(', ')
    if (tasks.some(({ task }) => task.listed.size > 0))
      throw new FormatError('none of its images is in the archive: media is required', { file })
    run.report.note('skipped', 'ignored-file', 'it has no images', { file: name })
    return []
  }
  const own = documents.filter((document) => files.has(document.name))
  const importAnnotations: FileSubset['importAnnotations'] = (target, part) => {
    const framesOf = subsetFrames({ name, assigned, found, images }, target.frames.frames)
    const onBytes = createByteCounter(own, 1, part)
    return importDocuments(own, { target, run: part, onBytes, framesOf })
  }
  return [{ name, images, importAnnotations }]
}

/** Returns each image once, with a unique name. */
function imagesOf(tasks: readonly AssignedTask[]): FileImage[] {
  const images = new Map<string, FileImage>()
  const taken = new Set<string>()
  const free = (name: string): string => (taken.has(name) ? free(lengthened(name)) : name)
  for (const { pictures } of tasks)
    for (const { member, name: given } of pictures) {
      if (images.has(member)) continue
      const name = free(given)
      taken.add(name)
      images.set(member, { name, member })
    }
  return [...images.values()]
}

/** Makes a name unique the way exports do: `a_1.jpg`. */
const lengthened = (name: string): string => name.replace(/(\.[^./]*)?$/, '_1$1')
