import { availableParallelism } from 'node:os'
import type { ProgramLimits, Surroundings } from '../programs/program.ts'

/** The port of videos: what a decoder promises, whichever program it asks (`find.ts` chooses, `contract.ts` tries the promises). */

/** A video that the caller has staged: decoders read local files only. */
export interface VideoFile {
  path: string
  /** As the person who sent it knows it. Errors say this name and never the path. */
  name: string
}

/** How the stored pictures have to be turned to stand upright: mirrored left to right first, then turned clockwise. */
export interface Orientation {
  isMirrored: boolean
  turn: 0 | 90 | 180 | 270
}

/**
 * Which pictures a video has and where they can be found (`infra.md` 7). Frame n is shown at `pts[n]`, and the number of
 * frames is `pts.length`: containers are not believed when they tell a number.
 */
export interface VideoIndex {
  codec: Codec
  /**
   * How a frame is told from the others. `order`: the file gives its pictures no times of their own (AVI does not, where pictures
   * are stored in another order than shown), several the same time (cameras that are faster than the clock of the file), or is of a
   * container whose times may repeat, break or be missing, so `pts` counts them from 0, and every way to one begins at the first.
   */
  by: 'time' | 'order'
  /** Pixels of a picture as people see it, `orientation` applied. Pixels count as square. */
  width: number
  height: number
  orientation: Orientation
  /** Seconds of one tick of `pts` and `keys`. */
  time_base: { num: number; den: number }
  /** Ascending, each time once, in ticks: whole numbers up to `mostTime`, exact in a double and eight bytes a frame. */
  pts: Float64Array
  /** Ascending: times at which decoding can begin. Not all of them are times of frames; none by order. */
  keys: Float64Array
}

/** A part of a video that the file itself lists. Frames are those of the video, inclusive. */
export interface VideoChapter {
  start: number
  stop: number
  /** At most `longestTitle` characters; empty: the file gives none. */
  title: string
}

export interface VideoChapters {
  /** By their first frames. */
  chapters: VideoChapter[]
  /** False: the file lists more than `mostChapters`, of which these are the first. */
  isWhole: boolean
}

/** As FFmpeg calls them. A list, since whatever else a build can decode is so much more that can be attacked. */
export const codecs = [
  'h264',
  'hevc',
  'vp8',
  'vp9',
  'av1',
  'mpeg4',
  'mjpeg',
  'mpeg1video',
  'mpeg2video',
  'vc1',
  'wmv1',
  'wmv2',
  'wmv3',
  'msmpeg4v2',
  'msmpeg4v3',
  'flv1',
  'vp6',
  'vp6f',
  'theora',
] as const
export type Codec = (typeof codecs)[number]

/** What is made of a frame: the same as of an image (`frames/pictures.ts`). */
export type PictureForm =
  /** Original quality: every pixel as decoded. */
  | { format: 'png' }
  /** The same, not packed: for who makes something else of it at once. */
  | { format: 'tiff' }
  /** Compressed: `quality` 1 to 100, the task's `image_quality`. */
  | { format: 'jpeg'; quality: number }
  /** A preview: at most `fit` x `fit`, never enlarged. */
  | { format: 'jpeg'; quality?: number; fit: number }

export interface VideoPicture {
  frame: number
  bytes: Buffer
}

export interface ProbeOptions {
  /** Pictures with equal times are one frame, the first of them: so older versions counted. */
  mergesEqualTimes?: boolean
}

export interface VideoDecoder {
  /** For capabilities and logs. */
  about: { adapter: 'ffmpeg' | 'node-av'; version: string }
  /**
   * Reads the times of all frames and decodes the first one.
   *
   * @throws UnusableInput, one sentence, for what is no video, is cut off, has no video stream, another codec than `codecs`, more
   *   than `mostFrames` or `mostPixels`, or breaks its decoder; DomainError unavailable when the decoder was killed by others
   */
  probe: (file: VideoFile, signal: AbortSignal, options?: ProbeOptions) => Promise<VideoIndex>
  /**
   * Reads the chapters that the file lists; `placeChapters` gives them their frames.
   *
   * @throws as `probe`
   */
  chapters: (file: VideoFile, index: VideoIndex, signal: AbortSignal) => Promise<VideoChapters>
  /**
   * Pictures of the wanted frames, in their order. Decoding begins at the last key frame before what is wanted and goes on
   * over neighbours; where the next wanted frame is far, it begins anew. Pull-driven: a decoder that is not read from waits
   * after a picture or two, and one whose reader leaves is ended.
   *
   * @param wanted ascending, each of them below `index.pts.length`; read as far as needed
   * @throws UndecodableFrame where the video has no picture at the time of a frame; DomainError unavailable as above; whatever
   *   the signal was aborted with
   */
  frames: (
    file: VideoFile,
    index: VideoIndex,
    wanted: Iterable<number>,
    as: PictureForm,
    signal: AbortSignal,
  ) => AsyncGenerator<VideoPicture>
}

/** More frames are refused. */
export const mostFrames = 10_000_000
/** Larger pictures are refused: the most that the highest levels of H.264, HEVC, VP9 and AV1 know, 8192 x 4352. */
export const mostPixels = 35_651_584

/** Chapters of a file that are read. */
export const mostChapters = 10_000
/** Characters of a title; longer ones are cut. */
export const longestTitle = 1024

/** Times further from 0 are refused; they leave room to calculate exactly, and hold 13 days of nanoseconds. */
export const mostTime = 2 ** 50

/** What one process of a decoder may take. A way of many frames to the first wanted one adds to the silence. */
export interface DecoderLimits extends ProgramLimits {
  /** Of decoding. */
  threads: number
}

export interface DecoderSurroundings extends Surroundings {
  limits: DecoderLimits
}

export const decoderLimits: DecoderLimits = {
  /** Reading an index, and the pictures of one pass, take far less. */
  cpuSeconds: 1800,
  /** `mostPixels` in ten bits, with the pictures that others refer to, take a half. */
  memoryBytes: 4 * 1024 ** 3,
  silenceMs: 60_000,
  threads: Math.min(4, availableParallelism()),
}
