/** Finds the frames of a subset's task that the elements of documents refer to. */
import type { FileImage, TargetFrame } from '../../model/dataset.ts'
import type { XmlAttributes } from '../../xml/scan.ts'
import { type AssignedTask, stepOf } from './assign-pictures.ts'
import type { ElementFrames, TrackFrames } from './element-frames.ts'
import type { ImageFolder } from './image-folders.ts'
import type { PicturesOf } from './pictures.ts'

export interface FolderTasks {
  imageFolder: ImageFolder
  tasks: AssignedTask[]
}

interface FrameSubset {
  name: string
  assigned: readonly FolderTasks[]
  found: PicturesOf
  /** Images of all its tasks. */
  images: readonly FileImage[]
}

/**
 * Creates the lookup of frames.
 * @param frames Frames of the images; images that could not be read have none.
 */
export function subsetFrames(
  { name, assigned, found, images }: FrameSubset,
  frames: readonly TargetFrame[],
): (document: string) => ElementFrames {
  const byPath = new Map(frames.map((frame) => [frame.path, frame]))
  const byMember = new Map(images.map((image) => [image.member, byPath.get(image.name)]))
  const numbered = new Map(
    assigned.flatMap(({ tasks }) => tasks.map((one) => [one.task, numberedIn(one, byMember)])),
  )
  return (document) => {
    const { imageFolder } = assigned.find((one) => one.imageFolder.files.has(document)) ?? {}
    const pictures = imageFolder && found(imageFolder, name)
    const numberedOf = (element: XmlAttributes): Numbered => {
      const task = imageFolder?.taskOf(document, element)
      return (task && numbered.get(task)) ?? nothing
    }
    return {
      isHere: (element) => numberedOf(element) !== nothing,
      ofImage(image, element) {
        const { offset, byNumber } = numberedOf(element)
        if (image.name === undefined) return byNumber.get((image.number ?? 0) - offset)
        const picture = pictures?.find(image.name)
        return picture && byMember.get(picture.member)
      },
      ofTrack: (element) => trackFrames(numberedOf(element), frames),
    }
  }
}

/** Frames of a task by their numbers in documents. */
interface Numbered {
  /** Offsets of image numbers, and of frame numbers in tracks. */
  offset: number
  trackOffset: number
  byNumber: ReadonlyMap<number, TargetFrame>
  /** Ascending. */
  numbers: readonly number[]
  /** Distance between two frames. */
  step: number
  /** Frames next to missing frames. */
  edges: ReadonlySet<number>
}

const nothing: Numbered = {
  offset: 0,
  trackOffset: 0,
  byNumber: new Map(),
  numbers: [],
  step: 1,
  edges: new Set(),
}

function numberedIn(
  { task, offset, trackOffset, pictures }: AssignedTask,
  byMember: ReadonlyMap<string, TargetFrame | undefined>,
): Numbered {
  const byNumber = new Map<number, TargetFrame>()
  for (const { member, number } of pictures) {
    const frame = byMember.get(member)
    if (frame && number !== undefined && !byNumber.has(number)) byNumber.set(number, frame)
  }
  const numbers = [...byNumber.keys()].sort((a, b) => a - b)
  const step = task.about?.step ?? stepOf(numbers)
  const edges = new Set<number>()
  for (const [index, number] of numbers.entries()) {
    const before = numbers[index - 1]
    if (before === undefined || number - before === step) continue
    for (const one of [before, number]) edges.add(byNumber.get(one)?.frame ?? 0)
  }
  return { offset, trackOffset, byNumber, numbers, step, edges }
}

function trackFrames(
  { trackOffset, byNumber, numbers, edges }: Numbered,
  frames: readonly TargetFrame[],
): TrackFrames {
  const last = byNumber.get(numbers.at(-1) ?? 0)
  const end = last && frames[last.frame + 1]
  return {
    find: (absolute) => byNumber.get(absolute - trackOffset),
    missing: (absolute) => `there is no image of frame ${absolute} in the archive`,
    behind(absolute) {
      const next = numbers.find((number) => number > absolute - trackOffset)
      return next === undefined ? end : byNumber.get(next)
    },
    isEdge: ({ frame }) => edges.has(frame),
    end,
  }
}
