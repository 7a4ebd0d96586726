import type { StoredImage } from '@reticle/contracts/rest/media'

/** Keys of our own never hold a colon. */
const mark = 'video:'

/** `png` for people; `tiff` for who makes something else of it at once: it is not packed. Both have every pixel as decoded. */
const formats = ['png', 'tiff'] as const
export type FrameFormat = (typeof formats)[number]

/** The key of a frame of a video as a picture; stores of `videos/with-videos.ts` know such. */
export const frameKey = (
  { key, offset }: Pick<StoredImage, 'key' | 'offset'>,
  format: FrameFormat,
): string => `${mark}${key}:${offset}:${format}`

/** The key of the file of a video, by that of its index; stores of `videos/with-videos.ts` know its `stat`. */
export const videoKey = (index: string): string => `${mark}${index}:file`

/** The index that such a key names; nothing for other keys. */
export const readVideoKey = (key: string): string | undefined => /^video:(.+):file$/.exec(key)?.[1]

export interface FrameOfVideo {
  /** Of the index of the video. */
  index: string
  /** Its number in the video. */
  frame: number
  format: FrameFormat
}

/** What such a key names; nothing for keys of objects. */
export function readFrameKey(key: string): FrameOfVideo | undefined {
  if (!key.startsWith(mark)) return undefined
  const [, index, frame, given] = /^video:(.+):(\d+):(\w+)$/.exec(key) ?? []
  const format = formats.find((one) => one === given)
  if (index === undefined || !format) throw new Error(`${key} is no frame of a video`)
  return { index, frame: Number(frame), format }
}
