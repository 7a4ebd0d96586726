import type { PictureForm, VideoDecoder, VideoFile, VideoIndex } from '../video/decoder.ts'
import { UndecodableFrame } from '../video/failures.ts'

/**
 * A decoder that goes on from frame to frame: whoever reads frames in order, a chunk or all of a task, pays for decoding each
 * once, and for finding the first one only.
 */
export interface Reel {
  /** Is the frame what comes next, or so soon that going on to it is quicker than looking for it? */
  isNear: (frame: number) => boolean
  /** Is nobody waiting for a frame of it? */
  isIdle: () => boolean
  /**
   * Frames are to be asked for in ascending order; each of them near.
   *
   * @throws what `VideoDecoder.frames` throws
   */
  picture: (frame: number) => Promise<Buffer>
  end: () => Promise<void>
}

export interface ReelOptions {
  decoder: Pick<VideoDecoder, 'frames'>
  file: VideoFile
  index: VideoIndex
  first: number
  form: PictureForm
}

/** Frames that are rather decoded and thrown away than leaped over: those between the frames of a task with a step. */
const mostSkipped = 10

export function openReel({ decoder, file, index, first, form }: ReelOptions): Reel {
  const ending = new AbortController()
  const frames = decoder.frames(file, index, from(first, index.pts.length), form, ending.signal)
  let asked = first - 1
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
    isNear: (frame) => !isBroken && frame > asked && frame <= asked + 1 + mostSkipped,
    isIdle: () => waiting === 0,
    picture: (frame) => {
      asked = frame
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
      ending.abort(new Error('nobody reads on'))
      await frames.return(undefined).catch(() => undefined)
    },
  }
}

function* from(first: number, count: number): Generator<number> {
  for (let frame = first; frame < count; frame++) yield frame
}
