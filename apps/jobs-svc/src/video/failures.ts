import { unavailable } from '@reticle/kit'
import type { ProgramFailures, ReadFile } from '../programs/failures.ts'
import { UnusableInput } from '../work/errors.ts'
import { codecs, mostFrames, mostPixels } from './decoder.ts'

/** Error for a frame without a decodable picture. */
export class UndecodableFrame extends UnusableInput {
  readonly frame: number

  constructor({ name }: ReadFile, frame: number) {
    super(`${name}: frame ${frame} of the video cannot be decoded`)
    this.frame = frame
  }
}

const conversion = 'Convert it, for example by `ffmpeg -i input -c:v libx264 output.mp4`'

/** Creates the error for a codec that is supported but that this build of the decoder lacks. */
export const undecodable = ({ name }: ReadFile, codec: string) =>
  new UnusableInput(
    `${name}: no picture of this ${codec} video can be decoded: it is damaged, or the decoder of this installation lacks the codec. ${conversion}`,
  )

/**
 * Creates the error for a file that cannot be read as a video.
 *
 * @param output output of the decoder for the log; it may contain paths
 */
export const unreadable = ({ name }: ReadFile, output?: string) =>
  new UnusableInput(
    `${name}: no video can be read from it: it is damaged, cut off or of another kind`,
    {
      cause: output,
    },
  )

export const pictureless = ({ name }: ReadFile) =>
  new UnusableInput(`${name}: the file has no video in it`)

export const cutOff = ({ name }: ReadFile) =>
  new UnusableInput(`${name}: the video is cut off, its end is missing`)

export const otherCodec = ({ name }: ReadFile, codec: string) =>
  new UnusableInput(
    `${name}: videos of the codec '${codec}' are not supported; these are: ${codecs.join(', ')}. ${conversion}`,
  )

export const tooLarge = (
  { name }: ReadFile,
  { width, height }: { width: number; height: number },
) =>
  new UnusableInput(
    `${name}: ${width} x ${height} pixels are too many, a video may have ${mostPixels}`,
  )

export const tooManyFrames = ({ name }: ReadFile) =>
  new UnusableInput(`${name}: the video has more than ${mostFrames} frames`)

/** Errors of decoder programs. */
export const decoderFailures: ProgramFailures = {
  unreadable,
  unstarted: ({ name }, why) => unavailable(`${name}: the video decoder cannot be started: ${why}`),
  killed: ({ name }) =>
    unavailable(`${name}: the video decoder was killed, perhaps for want of memory`),
  tooLong: ({ name }) => new UnusableInput(`${name}: decoding the video takes too long`),
  tooMuchMemory: ({ name }) =>
    new UnusableInput(`${name}: decoding the video takes too much memory`),
  broken: ({ name }, cause) =>
    new UnusableInput(`${name}: the video breaks its decoder`, { cause }),
}
