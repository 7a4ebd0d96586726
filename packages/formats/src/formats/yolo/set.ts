/** Content of a YOLO archive of any layout. */
import type { ZipReader } from '../../archive/zip-reader.ts'
import type { ClassNames } from './names.ts'

export interface YoloSet {
  zip: ZipReader
  /** Absent when the classes are the labels of the task in their order. */
  names?: ClassNames | undefined
  subsets: YoloSubset[]
}

export interface YoloSubset {
  name: string
  items: YoloItem[]
}

/** An image, whether it is in the archive or not. */
export interface YoloItem {
  /** Path in the subset, with its extension if the files contain it. */
  id: string
  /** Possible names of the frame, most likely first. */
  paths: string[]
  /** Member with the boxes of the image. */
  boxes?: string | undefined
  /** True when it is unknown whether that member contains boxes. */
  isGuess?: boolean
  /** Member of the image if it is known; otherwise `pictures` lists the paths to look for, without extension. */
  picture?: string | undefined
  pictures: string[]
}
