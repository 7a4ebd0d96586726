import type { VideoFile, VideoIndex } from './decoder.ts'
import type { DisplayMatrix } from './orientation.ts'
import type { Pass } from './passes.ts'

/**
 * What the two adapters differ in: one program each, asked for facts. What follows from the facts is the same for both
 * (`probe.ts`, `frames.ts`). Every call is a process of its own, ended with it; all throw as `VideoDecoder` says.
 */
export interface Engine {
  about: { adapter: 'ffmpeg' | 'node-av'; version: string }
  /** What the file says of its first stream of pictures, and what comes of decoding its beginning. */
  look: (file: VideoFile, signal: AbortSignal) => Promise<Look>
  /** All packets of that stream, in the order of the file. Nothing is decoded. */
  packets: (file: VideoFile, signal: AbortSignal) => AsyncGenerator<PacketFacts[]>
  /** Times of all pictures in the order shown, by decoding them; NaN of one that has none. */
  times: (file: VideoFile, signal: AbortSignal) => AsyncGenerator<number[]>
  /** Chapters in the order of the file, at most one more than `mostChapters`. Nothing is decoded. */
  chapters: (file: VideoFile, signal: AbortSignal) => Promise<ChapterFacts[]>
  /**
   * Pictures of the spans of a pass, ascending, and perhaps one or more behind the last: those which are missing are left out,
   * some may come twice. What cannot be decoded ends it without an error.
   */
  pictures: (
    file: VideoFile,
    index: VideoIndex,
    pass: Pass,
    signal: AbortSignal,
  ) => AsyncGenerator<RawPicture>
}

export interface Look {
  /** Undefined: the file has no stream of pictures. */
  stream?: {
    codec: string
    width: number
    height: number
    time_base: { num: number; den: number }
    matrix?: DisplayMatrix
  }
  /** Of the first picture that can be decoded, as it comes out; `time` is NaN where it has none. */
  first?: { width: number; height: number; time: number }
}

export interface PacketFacts {
  /** In ticks; NaN: none. */
  time: number
  isKey: boolean
  /** False: empty, or left out by the file's own list of edits. */
  isShown: boolean
  /** The file ends within it. */
  isCut: boolean
}

export interface ChapterFacts {
  /** In seconds, on the clock of the pictures; NaN: unknown. */
  start: number
  end: number
  /** Empty: the chapter has none. */
  title: string
}

export interface RawPicture {
  /** As in `VideoIndex.pts`. */
  time: number
  /** RGB, eight bits each, rows without gaps, as stored: `orientation` is not applied. */
  pixels: Buffer
}
