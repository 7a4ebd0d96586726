import type { VideoFile, VideoIndex } from './decoder.ts'
import type { DisplayMatrix } from './orientation.ts'
import type { Pass } from './passes.ts'

/**
 * Difference between the two adapters: the program that reads facts. All conclusions from the facts are shared
 * (`probe.ts`, `frames.ts`). Every call runs one process and ends it; all throw as documented for `VideoDecoder`.
 */
export interface Engine {
  about: { adapter: 'ffmpeg' | 'node-av'; version: string }
  /** Reads the description of the first video stream, and decodes its beginning. */
  look: (file: VideoFile, signal: AbortSignal) => Promise<Look>
  /** Reads all packets of that stream in file order, without decoding. */
  packets: (file: VideoFile, signal: AbortSignal) => AsyncGenerator<PacketFacts[]>
  /** Decodes the times of all pictures in display order; NaN for a picture without one. */
  times: (file: VideoFile, signal: AbortSignal) => AsyncGenerator<number[]>
  /** Reads the chapters in file order, at most one more than `mostChapters`, without decoding. */
  chapters: (file: VideoFile, signal: AbortSignal) => Promise<ChapterFacts[]>
  /**
   * Decodes the pictures of the spans of a pass, ascending, and possibly some behind the last. Missing pictures are
   * left out, some may come twice. Undecodable data ends the stream without an error.
   */
  pictures: (
    file: VideoFile,
    index: VideoIndex,
    pass: Pass,
    signal: AbortSignal,
  ) => AsyncGenerator<RawPicture>
}

export interface Look {
  /** Undefined: the file contains no video stream. */
  stream?: {
    codec: string
    width: number
    height: number
    time_base: { num: number; den: number }
    matrix?: DisplayMatrix
  }
  /** Size and time of the first picture that can be decoded; `time` is NaN if it has none. */
  first?: { width: number; height: number; time: number }
}

export interface PacketFacts {
  /** In ticks; NaN: none. */
  time: number
  isKey: boolean
  /** False: empty, or excluded by the edit list of the file. */
  isShown: boolean
  /** The file ends within this packet. */
  isCut: boolean
}

export interface ChapterFacts {
  /** In seconds, on the clock of the pictures; NaN: unknown. */
  start: number
  end: number
  /** Empty when the chapter has none. */
  title: string
}

export interface RawPicture {
  /** Time as in `VideoIndex.pts`. */
  time: number
  /** RGB, eight bits each, rows without gaps, as stored: `orientation` is not applied. */
  pixels: Buffer
}
