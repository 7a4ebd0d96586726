import type { StoredImage } from '@reticle/contracts/rest/media'

/** Prefix that no stored key has, because these contain no colon. */
const mark = 'video:'

/** `png` for display; `tiff`, uncompressed, for immediate conversion. Both have every pixel as decoded. */
const formats = ['png', 'tiff'] as const
export type FrameFormat = (typeof formats)[number]

/** Returns the key of a frame of a video as a picture, for stores of `video/cache/with-videos.ts`. */
export const frameKey = (
  { key, offset }: Pick<StoredImage, 'key' | 'offset'>,
  format: FrameFormat,
): string => `${mark}${key}:${offset}:${format}`

/**
 * Returns the key of the file of a video, by the key of its index; stores of `video/cache/with-videos.ts` support its
 * `stat`.
 */
export const videoKey = (index: string): string => `${mark}${index}:file`

/** Returns the index in a key of a video; undefined for other keys. */
export const readVideoKey = (key: string): string | undefined => /^video:(.+):file$/.exec(key)?.[1]

export interface FrameOfVideo {
  /** Key of the video's index. */
  index: string
  /** Number of the frame in the video. */
  frame: number
  format: FrameFormat
}

/** Parses the key of a frame; undefined for other keys. */
export function readFrameKey(key: string): FrameOfVideo | undefined {
  if (!key.startsWith(mark)) return undefined
  const [, index, frame, given] = /^video:(.+):(\d+):(\w+)$/.exec(key) ?? []
  const format = formats.find((one) => one === given)
  if (index === undefined || !format) throw new Error(`${key} is not the key of a video frame`)
  return { index, frame: Number(frame), format }
}
