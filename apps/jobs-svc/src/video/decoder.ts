import { availableParallelism } from 'node:os'
import type { ProgramEnvironment, ProgramLimits } from '../programs/program.ts'

/** Port of video decoders: the contract of both adapters (`find.ts` selects one, `testing/contract.ts` tests them). */

/** Video that the caller has staged: decoders read local files only. */
export interface VideoFile {
  path: string
  /** Name that the user gave the file. Errors contain this name and never the path. */
  name: string
}

/** Rotation that brings stored pictures upright: mirrored left to right first, then turned clockwise. */
export interface Orientation {
  isMirrored: boolean
  turn: 0 | 90 | 180 | 270
}

/**
 * Frames of a video and the positions at which they can be found. Frame n is shown at `pts[n]`, and the number of
 * frames is `pts.length`: frame counts that containers state are not trusted.
 */
export interface VideoIndex {
  codec: VideoCodec
  /**
   * Method to identify a frame. `order`: the file gives its pictures no times (AVI with pictures stored in another
   * order than shown), gives several pictures the same time (cameras faster than the clock of the file), or is of a
   * container whose times may repeat, break or be missing. Then `pts` counts pictures from 0, and decoding always
   * starts at the first.
   */
  by: 'time' | 'order'
  /** Pixels of a picture as displayed, `orientation` applied. Pixels count as square. */
  width: number
  height: number
  orientation: Orientation
  /** Seconds of one tick of `pts` and `keys`. */
  time_base: { num: number; den: number }
  /** Distinct times in ticks, ascending: whole numbers up to `mostTime`, exact in a double, eight bytes per frame. */
  pts: Float64Array
  /** Times at which decoding can start, ascending. Not all of them are times of frames; empty by order. */
  keys: Float64Array
}

/** Part of a video that the file itself lists. Frames are those of the video, inclusive. */
export interface VideoChapter {
  start: number
  stop: number
  /** At most `longestTitle` characters; empty when the file gives none. */
  title: string
}

export interface VideoChapters {
  /** Sorted by their first frames. */
  chapters: VideoChapter[]
  /** False: the file lists more than `mostChapters`, of which these are the first. */
  isWhole: boolean
}

/** Supported codecs by the names of FFmpeg. It is a closed list, because each further decoder adds attack surface. */
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
export type VideoCodec = (typeof codecs)[number]

/** Form of a picture: the same as of an image (`media/frames/pictures.ts`). */
export type PictureForm =
  /** Original quality: every pixel as decoded. */
  | { format: 'png' }
  /** Original quality, uncompressed: for a caller that converts it at once. */
  | { format: 'tiff' }
  /** Compressed: `quality` 1 to 100, the task's `image_quality`. */
  | { format: 'jpeg'; quality: number }
  /** Preview: at most `fit` x `fit` pixels, never enlarged. */
  | { format: 'jpeg'; quality?: number; fit: number }

export interface VideoPicture {
  frame: number
  bytes: Buffer
}

export interface VideoProbeOptions {
  /** Counts pictures with equal times as one frame, the first of them, as older versions did. */
  mergesEqualTimes?: boolean
}

export interface VideoDecoder {
  /** Adapter and version for the capabilities and logs. */
  about: { adapter: 'ffmpeg' | 'node-av'; version: string }
  /**
   * Reads the times of all frames and decodes the first one.
   *
   * @throws UnusableInput, one sentence, for a file that is not a video, is cut off, contains no video stream, has
   *   another codec than `codecs`, exceeds `mostFrames` or `mostPixels`, or crashes its decoder; DomainError
   *   unavailable when another process killed the decoder
   */
  probe: (file: VideoFile, signal: AbortSignal, options?: VideoProbeOptions) => Promise<VideoIndex>
  /**
   * Reads the chapters that the file lists; `assignChapterFrames` assigns their frames.
   *
   * @throws as `probe`
   */
  chapters: (file: VideoFile, index: VideoIndex, signal: AbortSignal) => Promise<VideoChapters>
  /**
   * Decodes the wanted frames, in their order. Decoding starts at the last key frame before the first wanted frame and
   * continues over its neighbours; before a distant frame it starts again. Pull-driven: a decoder whose reader pauses
   * waits after a picture or two, and one whose reader leaves is ended.
   *
   * @param wanted ascending, each of them below `index.pts.length`; read as far as needed
   * @throws UndecodableFrame when the video has no picture at the time of a frame; DomainError unavailable as above;
   *   the abort reason of the signal
   */
  frames: (
    file: VideoFile,
    index: VideoIndex,
    wanted: Iterable<number>,
    as: PictureForm,
    signal: AbortSignal,
  ) => AsyncGenerator<VideoPicture>
}

/** Limit of frames per video. */
export const mostFrames = 10_000_000
/** Limit of pixels per picture: the largest of the highest levels of H.264, HEVC, VP9 and AV1, 8192 x 4352. */
export const mostPixels = 35_651_584

/** Limit of chapters that are read from a file. */
export const mostChapters = 10_000
/** Limit of characters of a title; longer ones are cut. */
export const longestTitle = 1024

/** Largest distance of a time from 0. It leaves room to calculate exactly, and holds 13 days of nanoseconds. */
export const mostTime = 2 ** 50

/** Limits of one decoder process. Decoding many frames before the first wanted one extends the silence limit. */
export interface DecoderLimits extends ProgramLimits {
  /** Threads for decoding. */
  threads: number
}

export interface DecoderEnvironment extends ProgramEnvironment {
  limits: DecoderLimits
}

export const decoderLimits: DecoderLimits = {
  /** Far above the time for an index or for the pictures of one pass. */
  cpuSeconds: 1800,
  /** About twice the need of `mostPixels` in ten bits with all reference pictures. */
  memoryBytes: 4 * 1024 ** 3,
  silenceMs: 60_000,
  threads: Math.min(4, availableParallelism()),
}
