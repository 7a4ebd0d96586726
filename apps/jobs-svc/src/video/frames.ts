import type { PictureForm, VideoFile, VideoIndex, VideoPicture } from './decoder.ts'
import type { Engine, RawPicture } from './engine.ts'
import { UndecodableFrame } from './failures.ts'
import { type Pass, type PassOptions, passesOf, restOf } from './passes.ts'
import { encodePictures, type RawFrame } from './pictures.ts'

/** Tuning of passes: starting a process takes about as long as decoding 120 frames. */
const passOptions: PassOptions = { leap: 120, mostSpans: 500, mostFrames: 5000 }

/**
 * Frames by which a pass starts earlier, at the first attempt and at the others; 250 frames without a key frame are
 * rare.
 */
const retreats = [0, 60, 300]

interface DecodeInput {
  file: VideoFile
  index: VideoIndex
}

/** Implements `VideoDecoder.frames`. */
export async function* decodeVideoFrames(
  engine: Engine,
  input: DecodeInput & { wanted: Iterable<number>; as: PictureForm },
  signal: AbortSignal,
): AsyncGenerator<VideoPicture> {
  yield* encodePictures(rawFrames(engine, input, signal), input.index, input.as)
}

async function* rawFrames(
  engine: Engine,
  { file, index, wanted: requested }: DecodeInput & { wanted: Iterable<number> },
  signal: AbortSignal,
): AsyncGenerator<RawFrame> {
  for (const pass of passesOf(index, requested, passOptions))
    yield* passFrames(engine, { file, index, pass }, signal)
}

/**
 * Decodes the frames of a pass. After a seek to a key frame, the first decoded picture may be a later one, or none may
 * come for a while because the file marks other frames as key frames. Missing frames are then tried from an earlier
 * start.
 *
 * @throws UndecodableFrame for the first frame that no start can decode
 */
async function* passFrames(
  engine: Engine,
  { file, index, pass }: DecodeInput & { pass: Pass },
  signal: AbortSignal,
): AsyncGenerator<RawFrame> {
  let rest = pass
  let tries = 0
  for (;;) {
    let matched = 0
    for await (const frame of matchFrames(
      engine.pictures(file, index, rest, signal),
      index,
      rest,
    )) {
      yield frame
      matched += 1
    }
    const missing = rest.frames[matched]
    if (missing === undefined) return
    tries = matched > 0 ? 0 : tries + 1
    const retreat = retreats[tries]
    if (retreat === undefined || (matched === 0 && rest.from === undefined))
      throw new UndecodableFrame(file, missing)
    rest = restOf(index, rest, matched, retreat)
  }
}

/** Yields the pictures that match the next frames of the pass, until its end or the first missing frame. */
async function* matchFrames(
  pictures: AsyncGenerator<RawPicture>,
  { pts }: VideoIndex,
  pass: Pass,
): AsyncGenerator<RawFrame> {
  let place = 0
  for await (const { time, pixels } of pictures) {
    const frame = pass.frames[place]
    const frameTime = frame === undefined ? undefined : pts[frame]
    if (frame === undefined || frameTime === undefined || time > frameTime) return
    if (time < frameTime) continue // a duplicate, or before the first
    yield { frame, pixels }
    place += 1
    if (place === pass.frames.length) return
  }
}
