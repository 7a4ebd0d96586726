/** What an archive of YOLO files holds, in whichever layout (spec/formats.md 9.2). */
import type { ZipReader } from '../archive/zip-reader.ts'
import type { ClassNames } from './names.ts'

export interface YoloSet {
  zip: ZipReader
  /** Absent: the classes are the labels of the task in their order. */
  names?: ClassNames | undefined
  subsets: YoloSubset[]
}

export interface YoloSubset {
  name: string
  items: YoloItem[]
}

/** A picture, whether it is in the archive or not. */
export interface YoloItem {
  /** Its path in the subset, with its extension where the files tell. */
  id: string
  /** What the frame may be called, the likeliest first. */
  paths: string[]
  /** The member that has its boxes. */
  boxes?: string | undefined
  /** That member may as well be prose: nothing says what it is. */
  isGuess?: boolean
  /** The member that is the picture, where it is known; else the paths to look for, without extension. */
  picture?: string | undefined
  pictures: string[]
}
