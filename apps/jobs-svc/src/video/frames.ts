import type { PictureForm, VideoFile, VideoIndex, VideoPicture } from './decoder.ts'
import type { Engine, RawPicture } from './engine.ts'
import { UndecodableFrame } from './failures.ts'
import { type Pass, type PassOptions, passesOf, restOf } from './passes.ts'
import { drawn, type RawFrame } from './pictures.ts'

/** Starting a process takes about as long as decoding 120 frames. */
const passOptions: PassOptions = { leap: 120, mostSpans: 500, mostFrames: 5000 }

/** How many frames sooner a way begins, at the first try and at others: encoders rarely let 250 frames pass without a key. */
const retreats = [0, 60, 300]

interface Asked {
  file: VideoFile
  index: VideoIndex
}

/** As `VideoDecoder.frames`. */
export async function* frames(
  engine: Engine,
  asked: Asked & { wanted: Iterable<number>; as: PictureForm },
  signal: AbortSignal,
): AsyncGenerator<VideoPicture> {
  yield* drawn(rawFrames(engine, asked, signal), asked.index, asked.as)
}

async function* rawFrames(
  engine: Engine,
  { file, index, wanted }: Asked & { wanted: Iterable<number> },
  signal: AbortSignal,
): AsyncGenerator<RawFrame> {
  for (const pass of passesOf(index, wanted, passOptions))
    yield* passFrames(engine, { file, index, pass }, signal)
}

/**
 * The frames of a pass. A decoder that was sent to a key frame may come out behind it, or be silent for a while since the file
 * calls a picture a key that is none: what is missing is then tried from further before.
 *
 * @throws UndecodableFrame for the first frame to which no way leads
 */
async function* passFrames(
  engine: Engine,
  { file, index, pass }: Asked & { pass: Pass },
  signal: AbortSignal,
): AsyncGenerator<RawFrame> {
  let rest = pass
  let tries = 0
  for (;;) {
    let found = 0
    for await (const frame of matching(engine.pictures(file, index, rest, signal), index, rest)) {
      yield frame
      found += 1
    }
    const missing = rest.frames[found]
    if (missing === undefined) return
    tries = found > 0 ? 0 : tries + 1
    const retreat = retreats[tries]
    if (retreat === undefined || (found === 0 && rest.from === undefined))
      throw new UndecodableFrame(file, missing)
    rest = restOf(index, rest, found, retreat)
  }
}

/** Pictures that are what comes next in the pass, up to its end or to the first that is missing. */
async function* matching(
  pictures: AsyncGenerator<RawPicture>,
  { pts }: VideoIndex,
  pass: Pass,
): AsyncGenerator<RawFrame> {
  let place = 0
  for await (const { time, pixels } of pictures) {
    const frame = pass.frames[place]
    const wanted = frame === undefined ? undefined : pts[frame]
    if (frame === undefined || wanted === undefined || time > wanted) return
    if (time < wanted) continue // twice, or before the first
    yield { frame, pixels }
    place += 1
    if (place === pass.frames.length) return
  }
}
