/** First pass over a document: collects labels, images, and the frames that tracks are on. */
import { archiveLimits } from '../../archive/zip-directory.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import type { FileLabel } from '../../model/file-labels.ts'
import { FormatError } from '../../report/errors.ts'
import type { Fail } from '../../text/numbers.ts'
import type { XmlAttributes } from '../../xml/scan.ts'
import { readDocument, type ServiceDocument } from './documents.ts'
import { type ElementReader, ignoredElement } from './element-reader.ts'
import { shapeElements } from './elements.ts'
import { createAnnotationsReader } from './read-document.ts'
import { createNode, createNodeReader, type DocumentMeta, describedIn } from './read-meta.ts'
import { mergedLabels, type UsedLabel, type UsedLabels, usedLabels } from './used-labels.ts'

export interface SurveyedImage {
  name: string | undefined
  /** Id in the document; undefined when it has none. */
  id: number | undefined
  isAnnotated: boolean
  /** Pixels; undefined when the element does not state them. */
  width: number | undefined
  height: number | undefined
}

/** Elements of one task. */
export interface SurveyedTask {
  /** Undefined when the document has only one task, or does not name it. */
  id: string | undefined
  subset: string | undefined
  images: SurveyedImage[]
  /** Frames that tracks list. */
  listed: Set<number>
}

export interface Survey extends DocumentMeta {
  /** By `taskKey`. */
  elements: Map<string, SurveyedTask>
  /** Labels that the document declares, and labels that annotations use. */
  labels: FileLabel[]
}

/**
 * Returns the key of the task of an element; it includes the subset, because a document may use an id in several
 * subsets.
 */
export function taskKey({ task_id, subset }: XmlAttributes): string {
  return JSON.stringify([task_id ?? null, subset ?? null])
}

/**
 * Surveys a document.
 * @throws {FormatError} when it is not a document of this format
 */
export async function surveyOf(document: ServiceDocument, run: ConversionRun): Promise<Survey> {
  const meta = createNode()
  let line = () => 0
  const fail = (reason: string) => new FormatError(reason, { file: document.name, line: line() })
  const count = counterOf(run, fail)
  const used = usedLabels(() => count('names'))
  const elements: Survey['elements'] = new Map()
  const walk = { used, count }
  const begin = (lineOf: () => number): ElementReader => {
    line = lineOf
    const metaReader = (): ElementReader => ({
      ...createNodeReader(meta, fail),
      close: () => used.declare(describedIn(meta).labels),
    })
    const open: ElementReader['open'] = (name, attributes) => {
      if (name === 'meta') return metaReader()
      if (name === 'image') return createImageReader(taskIn(elements, attributes), attributes, walk)
      if (name === 'track') return createTrackReader(taskIn(elements, attributes), attributes, walk)
      return ignoredElement
    }
    const location = () => ({ file: document.name, line: line() })
    return createAnnotationsReader({ open, close: () => undefined }, location)
  }
  for await (const _ of readDocument(document, begin, () => run.signal.throwIfAborted()));
  const described = describedIn(meta)
  return { ...described, elements, labels: mergedLabels(described.labels, used.read()) }
}

function taskIn(elements: Survey['elements'], attributes: XmlAttributes): SurveyedTask {
  const key = taskKey(attributes)
  const known = elements.get(key)
  if (known) return known
  const { task_id: id, subset } = attributes
  const added: SurveyedTask = { id, subset, images: [], listed: new Set() }
  elements.set(key, added)
  return added
}

interface Walk {
  used: UsedLabels
  count: (what: Counted) => void
}

type Counted = 'images' | 'frames' | 'names'

/** Limits the counts of images, frames and names, so that a document cannot exhaust the memory. */
function counterOf({ archiveLimits: { entries } = archiveLimits }: ConversionRun, fail: Fail) {
  const most = { images: entries, frames: entries, names: 100_000 }
  const counts = { images: 0, frames: 0, names: 0 }
  return (what: Counted): void => {
    counts[what] += 1
    if (counts[what] > most[what]) throw fail(`more than ${most[what]} ${wordsOf[what]}`)
  }
}

const wordsOf = {
  images: 'images',
  frames: 'frames with tracks',
  names: 'labels and attributes',
}

function createImageReader(
  task: SurveyedTask,
  { name, id, ...sides }: XmlAttributes,
  { used, count }: Walk,
): ElementReader {
  count('images')
  const [width, height] = [wholeNumber(sides.width), wholeNumber(sides.height)]
  const image: SurveyedImage = { name, id: wholeNumber(id), isAnnotated: false, width, height }
  task.images.push(image)
  return {
    open(element, { label = '' }) {
      if (element !== 'tag' && !shapeElements.has(element)) return ignoredElement
      image.isAnnotated = true
      return annotationReader(element, used.find(label), false)
    },
    close: () => undefined,
  }
}

function createTrackReader(
  { listed }: SurveyedTask,
  { label = '' }: XmlAttributes,
  { used, count }: Walk,
): ElementReader {
  const shapesOf = (own: UsedLabel): ElementReader => ({
    open(element, attributes) {
      if (element === 'track') return shapesOf(own.part(attributes.label ?? ''))
      if (!shapeElements.has(element)) return ignoredElement
      const frame = wholeNumber(attributes.frame)
      if (frame !== undefined && !listed.has(frame)) {
        count('frames')
        listed.add(frame)
      }
      return annotationReader(element, own, true)
    },
    close: () => undefined,
  })
  return shapesOf(used.find(label))
}

function annotationReader(element: string, used: UsedLabel, isOfTrack: boolean): ElementReader {
  if (element === 'skeleton') used.beSkeleton()
  return {
    open(inner, { name = '', label = '' }) {
      if (inner === 'attribute') return createAttributeReader(name, used, isOfTrack)
      if (!shapeElements.has(inner)) return ignoredElement
      return annotationReader(inner, used.part(label), isOfTrack)
    },
    close: () => undefined,
  }
}

function createAttributeReader(name: string, used: UsedLabel, isOfTrack: boolean): ElementReader {
  if (name === '' || !used.isUndeclared(name)) return ignoredElement
  let text = ''
  return {
    ...ignoredElement,
    text(piece) {
      text += piece
    },
    close: () => used.note(name, text, isOfTrack),
  }
}

/** Parses a whole number; invalid ones are reported in the second pass. */
const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
