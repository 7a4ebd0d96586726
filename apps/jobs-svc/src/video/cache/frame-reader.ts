import type { PictureForm, VideoDecoder, VideoFile, VideoIndex } from '../decoder.ts'
import { UndecodableFrame } from '../failures.ts'

/**
 * Reader of the frames of a video in ascending order, on one running decoder. A sequential read decodes each frame
 * once, after a single seek.
 */
export interface FrameReader {
  /** Returns whether the frame is next, or so close that decoding up to it is faster than a seek. */
  isNear: (frame: number) => boolean
  /** Returns whether no requested frame is pending. */
  isIdle: () => boolean
  /**
   * Returns a frame. Frames must be requested in ascending order, each of them near.
   *
   * @throws errors of `VideoDecoder.frames`
   */
  picture: (frame: number) => Promise<Buffer>
  /** Ends the decoder. Pending frames fail. */
  end: () => Promise<void>
}

export interface FrameReaderOptions {
  decoder: Pick<VideoDecoder, 'frames'>
  file: VideoFile
  index: VideoIndex
  /** Frame at which decoding starts. */
  first: number
  form: PictureForm
}

/**
 * Maximum number of frames between two requested ones that are decoded and dropped instead of a seek, as in a task with
 * a frame step.
 */
const mostSkipped = 10

export function openFrameReader({
  decoder,
  file,
  index,
  first,
  form,
}: FrameReaderOptions): FrameReader {
  const ending = new AbortController()
  const frames = decoder.frames(file, index, from(first, index.pts.length), form, ending.signal)
  let lastRequested = first - 1
  let waiting = 0
  let isBroken = false
  let turn: Promise<unknown> = Promise.resolve()

  const read = async (frame: number): Promise<Buffer> => {
    for (;;) {
      const { done, value } = await frames.next()
      if (done || value.frame > frame) throw new UndecodableFrame(file, frame)
      if (value.frame === frame) return value.bytes
    }
  }
  return {
    isNear: (frame) =>
      !isBroken && frame > lastRequested && frame <= lastRequested + 1 + mostSkipped,
    isIdle: () => waiting === 0,
    picture: (frame) => {
      lastRequested = frame
      waiting += 1
      const found = turn
        .then(() => read(frame))
        .finally(() => {
          waiting -= 1
        })
      turn = found.catch(() => {
        isBroken = true
      })
      return found
    },
    end: async () => {
      isBroken = true
      ending.abort(new Error('the frame reader was closed'))
      await frames.return(undefined).catch(() => undefined)
    },
  }
}

function* from(first: number, count: number): Generator<number> {
  for (let frame = first; frame < count; frame++) yield frame
}
