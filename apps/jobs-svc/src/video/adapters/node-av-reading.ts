import { setImmediate as breath } from 'node:timers/promises'
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_NOPTS_VALUE,
  AV_PIX_FMT_RGB24,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_FLAG_CORRUPT,
  AV_PKT_FLAG_DISCARD,
  AVDISCARD_ALL,
  AVERROR_ENOMEM,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_FLAG_BACKWARD,
} from 'node-av/constants'
import {
  avGetCodecName,
  Codec,
  CodecContext,
  FormatContext,
  Frame,
  Packet,
  SoftwareScaleContext,
  type Stream,
} from 'node-av/lib'
import type { Look, RawPicture } from '../engine.ts'
import { addressOf, decoderOption, decodingOptions, inputOptions } from './inputs.ts'
import { noMemory, type Opening, type PictureSelection, packetFlags } from './records.ts'

/**
 * FFmpeg by the calls of its library, in the process of `node-av-program.ts`. Synchronous calls are a third faster than
 * asynchronous ones; pauses between packets let the process notice that its reader has left.
 */

interface Input {
  file: FormatContext
  /** Undefined: the file contains no video stream. */
  stream: Stream | undefined
}

function openInput({ path }: Opening): Input {
  const file = new FormatContext()
  file.allocContext()
  setOptions(file, { ...inputOptions, ...decoderOption })
  check(file.openInputSync(addressOf(path)), 'open')
  check(file.findStreamInfoSync(), 'streams')
  const stream = file.streams.find(
    ({ codecpar, disposition }) =>
      codecpar.codecType === AVMEDIA_TYPE_VIDEO && !(disposition & AV_DISPOSITION_ATTACHED_PIC),
  )
  for (const other of file.streams) if (other.index !== stream?.index) other.discard = AVDISCARD_ALL
  return { file, stream }
}

/** Opens a file that is known to have a video stream. */
function openVideo(opening: Opening): { file: FormatContext; stream: Stream } {
  const { file, stream } = openInput(opening)
  if (!stream) throw new Error('the file has no video stream')
  return { file, stream }
}

/** Implements `Engine.look`. */
export async function readStreamInfo(opening: Opening): Promise<Look> {
  const { file, stream } = openInput(opening)
  if (!stream) return {}
  const { codecpar, timeBase } = stream
  const matrix = codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX)
  const described = {
    codec: avGetCodecName(codecpar.codecId) ?? 'unknown',
    width: codecpar.width,
    height: codecpar.height,
    time_base: { num: timeBase.num, den: timeBase.den },
    ...(matrix && { matrix: matrixOf(matrix) }),
  }
  if (described.width * described.height > Number(decodingOptions.max_pixels))
    return { stream: described }
  for await (const { width, height, bestEffortTimestamp } of decodeStream(
    { file, stream },
    opening,
  ))
    return { stream: described, first: { width, height, time: timeOf(bestEffortTimestamp) } }
  return { stream: described }
}

/** Writes the description of a file with its chapters to the log, at level info: node-av cannot return chapters. */
export function describeFile(opening: Opening): () => void {
  const { file } = openInput(opening)
  return () => file.dumpFormat(0, '', false)
}

/** Reads the four of nine values that rotate or mirror. */
function matrixOf(bytes: Buffer): [number, number, number, number] {
  return [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(12), bytes.readInt32LE(16)]
}

/** Numbers per record. */
const batchLength = 8192

/** Implements `Engine.packets` with two numbers per packet (`packetFlags`). */
export async function* readPackets(opening: Opening): AsyncGenerator<number[]> {
  let batch: number[] = []
  for await (const { pts, flags, size, isKeyframe } of readStreamPackets(openVideo(opening))) {
    const isShown = size > 0 && !(flags & AV_PKT_FLAG_DISCARD)
    const known =
      (isKeyframe ? packetFlags.isKey : 0) +
      (isShown ? packetFlags.isShown : 0) +
      (flags & AV_PKT_FLAG_CORRUPT ? packetFlags.isCut : 0)
    batch.push(timeOf(pts), known)
    if (batch.length < batchLength) continue
    yield batch
    batch = []
  }
  yield batch
}

/** Implements `Engine.times`. */
export async function* readTimes(opening: Opening): AsyncGenerator<number[]> {
  for await (const { bestEffortTimestamp } of decodeStream(openVideo(opening), opening))
    yield [timeOf(bestEffortTimestamp)]
}

/** Implements `Engine.pictures`. */
export async function* decodePictures(
  query: Opening & PictureSelection,
): AsyncGenerator<RawPicture> {
  const { by, from, spans } = query
  const { file, stream } = openVideo(query)
  if (from !== null)
    check(file.seekFrameSync(stream.index, BigInt(from), AVSEEK_FLAG_BACKWARD), 'seek')
  const paint = painter(query)
  let span = 0
  let order = 0
  for await (const picture of decodeStream({ file, stream }, query)) {
    const time = by === 'order' ? order : timeOf(picture.bestEffortTimestamp)
    order += 1
    while (span < spans.length && time > (spans[span]?.last ?? 0)) span += 1
    if (time >= (spans[span]?.first ?? Number.NEGATIVE_INFINITY))
      yield { time, pixels: paint(picture) }
    if (span === spans.length) return
  }
}

/** Yields the packets of the stream; each is freed when the next is requested. */
async function* readStreamPackets({
  file,
  stream,
}: {
  file: FormatContext
  stream: Stream
}): AsyncGenerator<Packet> {
  const packet = new Packet()
  packet.alloc()
  while (file.readFrameSync(packet) >= 0) {
    if (packet.streamIndex === stream.index) yield packet
    packet.unref()
    await breath()
  }
}

/** Yields pictures in display order; each is freed when the next is requested. Undecodable ones are left out. */
async function* decodeStream(
  input: { file: FormatContext; stream: Stream },
  { threads }: Opening,
): AsyncGenerator<Frame> {
  const decoder = openDecoder(input.stream, threads)
  const picture = new Frame()
  picture.alloc()
  function* received() {
    while (decoder.receiveFrameSync(picture) >= 0) {
      yield picture
      picture.unref()
    }
  }
  for await (const packet of readStreamPackets(input)) {
    decoder.sendPacketSync(packet)
    yield* received()
  }
  decoder.sendPacketSync(null)
  yield* received()
}

function openDecoder({ codecpar, timeBase }: Stream, threads: number): CodecContext {
  const codec = Codec.findDecoder(codecpar.codecId)
  if (!codec) throw new Error(`no decoder for codec ${avGetCodecName(codecpar.codecId)}`)
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  check(decoder.parametersToContext(codecpar), 'decoder')
  decoder.pktTimebase = timeBase
  decoder.threadCount = threads
  setOptions(decoder, decodingOptions)
  check(decoder.open2Sync(codec), 'decoder')
  return decoder
}

/** Creates a converter of decoded pictures of any size to RGB of one size. */
function painter({ width, height }: PictureSelection): (picture: Frame) => Buffer {
  const scaler = new SoftwareScaleContext()
  scaler.allocContext()
  const painted = new Frame()
  painted.alloc()
  Object.assign(painted, { width, height, format: AV_PIX_FMT_RGB24 })
  check(painted.allocBuffer(), 'picture')
  return (picture) => {
    check(scaler.scaleFrameSync(painted, picture), 'colours')
    return painted.toBuffer()
  }
}

/**
 * Sets options one by one. FFmpeg frees used entries of a `Dictionary`, and node-av would free them again when it is
 * collected.
 */
function setOptions(context: FormatContext | CodecContext, options: Record<string, string>): void {
  for (const [name, value] of Object.entries(options)) check(context.setOption(name, value), name)
}

const timeOf = (time: bigint) => (time === AV_NOPTS_VALUE ? Number.NaN : Number(time))

/** Throws for results below 0, which are errors of FFmpeg. */
function check(result: number, what: string): void {
  if (result === AVERROR_ENOMEM) throw new Error(noMemory)
  if (result < 0) throw new Error(`${what}: error ${result}`)
}
