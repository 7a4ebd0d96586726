/** Which frames the elements of a document mean (spec/formats.md 7.6). */
import { frameMatcher } from '../match-frames.ts'
import type { TargetFrame, TargetFrames } from '../model.ts'
import type { XmlAttributes } from '../xml/scan.ts'

export interface ElementFrames {
  /** Whether an image or track is read here: of a set in parts, each is read by itself. */
  isHere(attributes: XmlAttributes): boolean
  /** By name; by number only an image without a name, or one of a video. */
  ofImage(
    image: { name: string | undefined; number: number | undefined },
    attributes: XmlAttributes,
  ): TargetFrame | undefined
  ofTrack(attributes: XmlAttributes): TrackFrames
}

/** Frames as a track counts them. */
export interface TrackFrames {
  find(absolute: number): TargetFrame | undefined
  /** Why there is none of that number. */
  missing(absolute: number): string
  /** Where frames may be missing that were there: the first that is left behind one. */
  behind?(absolute: number): TargetFrame | undefined
  /** Whether frames are missing beside it, so that no interpolation leads across. */
  isEdge(frame: TargetFrame): boolean
  /** Where the next video begins, in which the track is no more. */
  end?: TargetFrame | undefined
}

/**
 * All frames of a task.
 * @param deepest The path with the most parts among the images of all documents.
 */
export function taskFrames(target: TargetFrames, deepest: string): ElementFrames {
  const matcher = frameMatcher(target, deepest)
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
