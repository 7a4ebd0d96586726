/** Native archives with images, for imports that create tasks in a project. */
import type { RandomAccess } from '../archive/source.ts'
import { FormatError } from '../errors.ts'
import type { FileLabel } from '../file-labels.ts'
import { noteUnusedPictures } from '../members.ts'
import type { FileDataset, FileImage, FileSubset, Run } from '../model.ts'
import { byteCounter, type Document, findServiceArchive } from './documents.ts'
import { importDocuments } from './import.ts'
import { type PicturesOf, picturesOf } from './pictures.ts'
import { type PlacedTask, placePictures } from './place-pictures.ts'
import { type Place, placesOf } from './places.ts'
import { type PlacedIn, subsetFrames } from './subset-frames.ts'
import { type Survey, surveyOf } from './survey.ts'
import { mergedLabels } from './used-labels.ts'

/** Opens an archive with one subset for all tasks that name it, one after the other. */
export async function openServiceDataset(source: RandomAccess, run: Run): Promise<FileDataset> {
  const { documents, zip } = await findServiceArchive(source, run)
  const surveys = new Map<string, Survey>()
  let labels: FileLabel[] = []
  for (const document of documents) {
    const survey = await surveyOf(document, run)
    surveys.set(document.name, survey)
    labels = mergedLabels(labels, survey.labels)
  }
  const names = [...zip.files.keys()]
  const places = placesOf(surveys, names)
  const found = picturesOf(names, places)
  const subsets = [...new Set(places.flatMap(({ tasks }) => tasks.map(({ subset }) => subset)))]
  const opened = subsets
    .sort()
    .flatMap((name) => openSubset(name, { places, found, documents }, run))
  if (opened.length === 0) throw new FormatError('there are no images to make a task of')
  noteUnusedPictures(names, opened, run)
  return { labels, subsets: opened }
}

interface Opened {
  places: readonly Place[]
  found: PicturesOf
  documents: readonly Document[]
}

function openSubset(name: string, { places, found, documents }: Opened, run: Run): FileSubset[] {
  const placed = places.flatMap((place): PlacedIn[] => {
    const tasks = place.tasks.filter(({ subset }) => subset === name)
    return tasks.length === 0 ? [] : [{ place, tasks: placePictures(tasks, found(place, name)) }]
  })
  const tasks = placed.flatMap((one) => one.tasks)
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
    const framesOf = subsetFrames({ name, placed, found, images }, target.frames.frames)
    const onBytes = byteCounter(own, 1, part)
    return importDocuments(own, { target, run: part, onBytes, framesOf })
  }
  return [{ name, images, importAnnotations }]
}

/** Returns each image once, with a unique name. */
function imagesOf(tasks: readonly PlacedTask[]): FileImage[] {
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
