import type { BlobInfo } from '@reticle/kit/blob/blob'
import type { PictureForm, VideoChapters, VideoIndex, VideoProbeOptions } from '../decoder.ts'

/** Video in the object store. */
export interface StoredVideo {
  key: string
  /** Size in bytes. */
  size: number
  /** Name that the user gave the file. */
  name: string
}

export interface PreparedVideo {
  index: VideoIndex
  chapters: VideoChapters
  /** Bytes of the object with the index. */
  length: number
}

/** Videos of the object store, and their pictures. */
export interface Videos {
  /**
   * Probes a video and stores its index under `key`.
   *
   * @throws UnusableInput for a file that is not a video, or without a decoder
   */
  prepare: (
    video: StoredVideo,
    key: string,
    signal: AbortSignal,
    options?: VideoProbeOptions,
  ) => Promise<PreparedVideo>
  /**
   * Returns one picture of a prepared video. Sequential reads decode each frame once.
   *
   * @param key key of its index
   * @param frame its number in the video
   * @throws DomainError not_found when the objects are missing, conflict `source_changed` for a changed file on the
   *   share; UnusableInput when the video has no such picture
   */
  picture: (key: string, frame: number, form: PictureForm) => Promise<Buffer>
  /**
   * Describes the file of a prepared video on the share; of other videos their index.
   *
   * @param key key of its index
   * @throws DomainError not_found; conflict `source_changed` for a file that has changed since then
   */
  stat: (key: string) => Promise<BlobInfo>
  close: () => Promise<void>
}
