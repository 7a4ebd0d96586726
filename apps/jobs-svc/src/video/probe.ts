import { open } from 'node:fs/promises'
import { containerBytes, hasExactTimes } from '../media/kinds/containers.ts'
import {
  codecs,
  mostFrames,
  mostPixels,
  mostTime,
  type VideoFile,
  type VideoIndex,
  type VideoProbeOptions,
} from './decoder.ts'
import { endsEarly } from './ends-early.ts'
import type { Engine, PacketFacts } from './engine.ts'
import {
  cutOff,
  otherCodec,
  pictureless,
  tooLarge,
  tooManyFrames,
  undecodable,
  unreadable,
} from './failures.ts'
import { orientationOf, turned } from './orientation.ts'

/** Implements `VideoDecoder.probe`. */
export async function probeVideo(
  engine: Engine,
  file: VideoFile,
  signal: AbortSignal,
  { mergesEqualTimes = false }: VideoProbeOptions = {},
): Promise<VideoIndex> {
  const { stream, first } = await engine.look(file, signal)
  if (!stream) throw pictureless(file)
  const { time_base } = stream
  const codec = codecs.find((one) => one === stream.codec)
  if (!codec) throw otherCodec(file, stream.codec)
  checkSize(file, stream)
  const isStream = !(await hasTimesToFind(file.path))
  if (!first)
    throw isStream ? undecodable(file, codec) : unreadable(file, 'no picture can be decoded')
  checkSize(file, first)
  if (!(time_base.num > 0 && time_base.den > 0)) throw unreadable(file, 'no time base')

  const orientation = orientationOf(stream.matrix)
  const about = { codec, ...turned(first, orientation), orientation, time_base }
  if (isStream) return indexByOrder(file, about, await decodeAll(engine, file, signal))
  const { times, keys, hasTimes } = await readPackets(engine, file, signal)
  // Pictures before the first decodable one depend on frames that were cut away from the start of the file.
  const stored = times.sorted(first.time)
  const different = differentTimes(stored)
  const isClear = different.length === stored.length
  if (hasTimes && codec !== 'vp8' && (isClear || mergesEqualTimes))
    return indexByTime(file, about, different, keys)

  const decoded = await decodeAll(engine, file, signal)
  const known = isClear || codec === 'vp8' ? undefined : different
  const pts = hasTimes ? timesOfFrames(decoded, mergesEqualTimes, known) : undefined
  if (pts) return indexByTime(file, about, pts, keys)
  return indexByOrder(file, about, decoded)
}

/**
 * Returns the times that identify every frame; undefined when times cannot.
 *
 * @param known distinct packet times if packets share times. Two packets may be the halves of one picture; then the
 *   decoded times are the same. Otherwise the decoded times depend on the start of decoding
 */
function timesOfFrames(
  { times, hasTimes }: Awaited<ReturnType<typeof decodeAll>>,
  mergesEqualTimes: boolean,
  known: Float64Array | undefined,
): Float64Array | undefined {
  if (!hasTimes) return undefined
  const shown = times.sorted()
  const different = differentTimes(shown)
  if (mergesEqualTimes) return different
  const isSure = known === undefined || areEqual(shown, known)
  return isSure && different.length === shown.length ? shown : undefined
}

/** Returns whether the container stores a distinct time for every picture. */
async function hasTimesToFind(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(containerBytes)
    const { bytesRead } = await file.read(head, 0, containerBytes, 0)
    return hasExactTimes(head.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

type Times = ReturnType<typeof gatherTimes>
type VideoFacts = Omit<VideoIndex, 'by' | 'pts' | 'keys'>

function indexByOrder(file: VideoFile, about: VideoFacts, { times }: { times: Times }): VideoIndex {
  if (times.count() === 0) throw unreadable(file, 'no picture can be decoded')
  const pts = Float64Array.from({ length: times.count() }, (_, place) => place)
  return { ...about, by: 'order', pts, keys: new Float64Array() }
}

function indexByTime(
  file: VideoFile,
  about: VideoFacts,
  pts: Float64Array,
  keys: Times,
): VideoIndex {
  if (pts.length === 0) throw unreadable(file, 'no picture has a time')
  return { ...about, by: 'time', pts, keys: differentTimes(keys.sorted()) }
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
    for (const packet of batch) addPacket(found, packet)
    if (found.isBeyond) throw unreadable(file, 'times beyond all measure')
    if (found.times.count() > mostFrames) throw tooManyFrames(file)
  }
  if (found.isCut || (await endsEarly(file.path))) throw cutOff(file)
  return found
}

type PacketSummary = Awaited<ReturnType<typeof readPackets>>

function addPacket(found: PacketSummary, { time, isKey, isShown, isCut }: PacketFacts): void {
  found.isCut ||= isCut
  found.isBeyond ||= Math.abs(time) > mostTime
  if (Number.isNaN(time)) {
    found.hasTimes &&= !isShown
    return
  }
  if (isShown) found.times.add(time)
  if (isKey) found.keys.add(time)
}

/** Decodes all times, for codecs with packets that are never shown and for files with missing or equal times. */
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

/** Creates a growing list of times, eight bytes each: a video may have millions. */
function gatherTimes() {
  let room = new Float64Array(4096)
  let count = 0
  return {
    add: (time: number) => {
      if (count === room.length) {
        const wider = new Float64Array(count * 2)
        wider.set(room)
        room = wider
      }
      room[count] = time
      count += 1
    },
    count: () => count,
    /** Ascending, with duplicates, none before `from`. */
    sorted: (from = Number.NEGATIVE_INFINITY): Float64Array =>
      room
        .slice(0, count)
        .sort()
        .filter((time) => time >= from),
  }
}

/** Removes duplicates from ascending times. */
const differentTimes = (sorted: Float64Array): Float64Array =>
  sorted.filter((time, place) => time !== sorted[place - 1])

const areEqual = (one: Float64Array, other: Float64Array): boolean =>
  one.length === other.length && one.every((time, place) => time === other[place])
