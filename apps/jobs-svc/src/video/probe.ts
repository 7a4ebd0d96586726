import {
  codecs,
  mostFrames,
  mostPixels,
  mostTime,
  type VideoFile,
  type VideoIndex,
} from './decoder.ts'
import { endsEarly } from './ends-early.ts'
import type { Engine, PacketFacts } from './engine.ts'
import { cutOff, otherCodec, pictureless, tooLarge, tooManyFrames, unreadable } from './failures.ts'
import { orientationOf, turned } from './orientation.ts'
import { gatherTimes } from './times.ts'

/** As `VideoDecoder.probe`. */
export async function probe(
  engine: Engine,
  file: VideoFile,
  signal: AbortSignal,
): Promise<VideoIndex> {
  const { stream, first } = await engine.look(file, signal)
  if (!stream) throw pictureless(file)
  const { time_base } = stream
  const codec = codecs.find((one) => one === stream.codec)
  if (!codec) throw otherCodec(file, stream.codec)
  checkSize(file, stream)
  if (!first) throw unreadable(file, 'no picture can be decoded')
  checkSize(file, first)
  if (!(time_base.num > 0 && time_base.den > 0)) throw unreadable(file, 'no time base')

  const orientation = orientationOf(stream.matrix)
  const about = { codec, ...turned(first, orientation), orientation, time_base }
  const { times, keys, hasTimes } = await readPackets(engine, file, signal)
  // Pictures before the first that can be decoded hang on what was cut away before the beginning.
  if (hasTimes && codec !== 'vp8') return timed(file, about, times.sorted(first.time), keys)

  const decoded = await decodeAll(engine, file, signal)
  if (hasTimes && decoded.hasTimes) return timed(file, about, decoded.times.sorted(), keys)
  const pts = Float64Array.from({ length: decoded.times.count() }, (_, place) => place)
  return { ...about, by: 'order', pts, keys: new Float64Array() }
}

type Times = ReturnType<typeof gatherTimes>
type About = Omit<VideoIndex, 'by' | 'pts' | 'keys'>

function timed(file: VideoFile, about: About, pts: Float64Array, keys: Times): VideoIndex {
  if (pts.length === 0) throw unreadable(file, 'no picture has a time')
  return { ...about, by: 'time', pts, keys: keys.sorted() }
}

function checkSize(file: VideoFile, { width, height }: { width: number; height: number }): void {
  if (!(width > 0 && height > 0)) throw unreadable(file, `${width} x ${height} pixels`)
  if (width * height > mostPixels) throw tooLarge(file, { width, height })
}

async function readPackets(engine: Engine, file: VideoFile, signal: AbortSignal) {
  const found = {
    times: gatherTimes(),
    keys: gatherTimes(),
    hasTimes: true,
    isCut: false,
    isBeyond: false,
  }
  for await (const batch of engine.packets(file, signal)) {
    for (const packet of batch) take(found, packet)
    if (found.isBeyond) throw unreadable(file, 'times beyond all measure')
    if (found.times.count() > mostFrames) throw tooManyFrames(file)
  }
  if (found.isCut || (await endsEarly(file.path))) throw cutOff(file)
  return found
}

type Found = Awaited<ReturnType<typeof readPackets>>

function take(found: Found, { time, isKey, isShown, isCut }: PacketFacts): void {
  found.isCut ||= isCut
  found.isBeyond ||= Math.abs(time) > mostTime
  if (Number.isNaN(time)) {
    found.hasTimes &&= !isShown
    return
  }
  if (isShown) found.times.add(time)
  if (isKey) found.keys.add(time)
}

/** Codecs whose packets may hold a picture that is never shown, and files without times: only decoding tells what is there. */
async function decodeAll(engine: Engine, file: VideoFile, signal: AbortSignal) {
  const times = gatherTimes()
  let hasTimes = true
  for await (const batch of engine.times(file, signal)) {
    for (const time of batch) {
      hasTimes &&= !Number.isNaN(time)
      times.add(time)
    }
    if (times.count() > mostFrames) throw tooManyFrames(file)
  }
  return { times, hasTimes }
}
