/** Finds the frames that the elements of a document refer to. */
import { createFrameMatcher } from '../../importing/match-frames.ts'
import type { TargetFrame, TargetFrames } from '../../model/dataset.ts'
import type { XmlAttributes } from '../../xml/scan.ts'

export interface ElementFrames {
  /** Returns whether an image or track belongs to the subset that is being read. */
  isHere(attributes: XmlAttributes): boolean
  /** Returns the frame of an image: by name; by number only for an image without a name, or of a video. */
  ofImage(
    image: { name: string | undefined; number: number | undefined },
    attributes: XmlAttributes,
  ): TargetFrame | undefined
  ofTrack(attributes: XmlAttributes): TrackFrames
}

/** Frames in the numbering of a track. */
export interface TrackFrames {
  find(absolute: number): TargetFrame | undefined
  /** Returns the reason why no frame has that number. */
  missing(absolute: number): string
  /** Returns the first existing frame after a missing one; only for documents whose images may be missing. */
  behind?(absolute: number): TargetFrame | undefined
  /** Returns whether frames next to this one are missing, so that interpolation must not cross the gap. */
  isEdge(frame: TargetFrame): boolean
  /** First frame of the next video, on which the track is hidden. */
  end?: TargetFrame | undefined
}

/**
 * Returns the frames of a task.
 * @param deepest The path with the most parts among the images of all documents.
 */
export function taskFrames(target: TargetFrames, deepest: string): ElementFrames {
  const matcher = createFrameMatcher(target, deepest)
  const { frames, start_frame, step } = target
  const track: TrackFrames = {
    find: (absolute) => frames[(absolute - start_frame) / step],
    missing(absolute) {
      const last = start_frame + (frames.length - 1) * step
      const grid = step === 1 ? '' : ` in steps of ${step}`
      return `frame ${absolute} is none of the task, which has ${start_frame} to ${last}${grid}`
    },
    isEdge: () => false,
  }
  return {
    isHere: () => true,
    ofImage({ name, number }) {
      const paths = name === undefined ? [] : [name]
      return matcher.match(number === undefined ? { paths } : { paths, frame: number })
    },
    ofTrack: () => track,
  }
}
