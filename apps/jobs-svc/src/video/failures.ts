import { unavailable } from '@reticle/kit'
import { UnusableInput } from '../operations/operation.ts'
import { codecs, mostFrames, mostPixels, type VideoFile } from './decoder.ts'

type Named = Pick<VideoFile, 'name'>

/** The video has no picture at the time of this frame. */
export class UndecodableFrame extends UnusableInput {
  readonly frame: number

  constructor({ name }: Named, frame: number) {
    super(`${name}: frame ${frame} of the video cannot be decoded`)
    this.frame = frame
  }
}

/** @param said by the decoder, for the log: it may name paths */
export const unreadable = ({ name }: Named, said?: string) =>
  new UnusableInput(
    `${name}: no video can be read from it: it is damaged, cut off or of another kind`,
    {
      cause: said,
    },
  )

export const pictureless = ({ name }: Named) =>
  new UnusableInput(`${name}: the file has no video in it`)

export const cutOff = ({ name }: Named) =>
  new UnusableInput(`${name}: the video is cut off, its end is missing`)

export const otherCodec = ({ name }: Named, codec: string) =>
  new UnusableInput(
    `${name}: videos of the codec '${codec}' are not supported; these are: ${codecs.join(', ')}`,
  )

export const tooLarge = ({ name }: Named, { width, height }: { width: number; height: number }) =>
  new UnusableInput(
    `${name}: ${width} x ${height} pixels are too many, a video may have ${mostPixels}`,
  )

export const tooManyFrames = ({ name }: Named) =>
  new UnusableInput(`${name}: the video has more than ${mostFrames} frames`)

export const tooLong = ({ name }: Named) =>
  new UnusableInput(`${name}: decoding the video takes too long`)

export const tooMuchMemory = ({ name }: Named) =>
  new UnusableInput(`${name}: decoding the video takes too much memory`)

/** How a process ended that nobody here asked to end. */
export function brokenBy(file: Named, signal: NodeJS.Signals): Error {
  if (signal === 'SIGXCPU') return tooLong(file)
  if (signal === 'SIGKILL' || signal === 'SIGTERM')
    return unavailable(`${file.name}: the video decoder was killed, perhaps for want of memory`)
  return new UnusableInput(`${file.name}: the video breaks its decoder`, { cause: signal })
}
