import type { BlobInfo } from '@reticle/kit/blob/blob'
import type { PictureForm, ProbeOptions, VideoChapters, VideoIndex } from '../video/decoder.ts'

/** A video in the object store. */
export interface StoredVideo {
  key: string
  /** Bytes. */
  size: number
  /** As the person who sent it knows it. */
  name: string
}

export interface PreparedVideo {
  index: VideoIndex
  chapters: VideoChapters
  /** Bytes of the object that keeps it. */
  length: number
}

/** Videos of the object store, and their pictures. */
export interface Videos {
  /**
   * Looks at a video; what is found is kept under `key`.
   *
   * @throws UnusableInput for what is none, or without a decoder
   */
  prepare: (
    video: StoredVideo,
    key: string,
    signal: AbortSignal,
    options?: ProbeOptions,
  ) => Promise<PreparedVideo>
  /**
   * One picture of a prepared video. Whoever reads frames in order pays for decoding each once.
   *
   * @param key of its index
   * @param frame its number in the video
   * @throws DomainError not_found when the objects are gone, conflict `source_changed` for a changed file on the share; UnusableInput where there is no such picture
   */
  picture: (key: string, frame: number, form: PictureForm) => Promise<Buffer>
  /**
   * Describes the file of a prepared video on the share; of other videos their index.
   *
   * @param key of its index
   * @throws DomainError not_found; conflict `source_changed` for a file that has changed since then
   */
  stat: (key: string) => Promise<BlobInfo>
  close: () => Promise<void>
}
