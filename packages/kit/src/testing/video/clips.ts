import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_LOG_QUIET,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_SAMPLE_FMT_FLTP,
  AVFMT_GLOBALHEADER,
  FF_ENCODER_AAC,
  FF_ENCODER_FLV,
  FF_ENCODER_LIBSVTAV1,
  FF_ENCODER_LIBTHEORA,
  FF_ENCODER_LIBVPX_VP8,
  FF_ENCODER_LIBVPX_VP9,
  FF_ENCODER_LIBX264,
  FF_ENCODER_LIBX265,
  FF_ENCODER_MJPEG,
  FF_ENCODER_MPEG1VIDEO,
  FF_ENCODER_MPEG2VIDEO,
  FF_ENCODER_MPEG4,
  FF_ENCODER_MSMPEG4V3,
  FF_ENCODER_WMV1,
  FF_ENCODER_WMV2,
} from 'node-av/constants'
import { Codec, CodecContext, FormatContext, Frame, Log, Packet, Rational } from 'node-av/lib'
import { addChapters, type ClipChapter, roomForChapters } from './chapters.ts'
import { drawNumber, type FrameSize } from './numbered.ts'

const encoders = {
  h264: FF_ENCODER_LIBX264,
  hevc: FF_ENCODER_LIBX265,
  vp8: FF_ENCODER_LIBVPX_VP8,
  vp9: FF_ENCODER_LIBVPX_VP9,
  av1: FF_ENCODER_LIBSVTAV1,
  mpeg4: FF_ENCODER_MPEG4,
  mjpeg: FF_ENCODER_MJPEG,
  mpeg1video: FF_ENCODER_MPEG1VIDEO,
  mpeg2video: FF_ENCODER_MPEG2VIDEO,
  msmpeg4v3: FF_ENCODER_MSMPEG4V3,
  wmv1: FF_ENCODER_WMV1,
  wmv2: FF_ENCODER_WMV2,
  flv1: FF_ENCODER_FLV,
  theora: FF_ENCODER_LIBTHEORA,
}

/** Clip for tests, encoded when it is needed. Every frame shows its number (`numbered.ts`). */
export interface Clip {
  codec: keyof typeof encoders
  frames: number
  width: number
  height: number
  /** Frames from one key frame to the next. */
  gop: number
  /** Options of the encoder, as named by FFmpeg. */
  options: Record<string, string>
  /** Ticks per second, and the tick at which a frame is shown. */
  ticks: number
  timeOf: (frame: number) => number
  /**
   * Display matrix of the stored frames, limited to quarter turns and
   * mirrors; after it a frame shows its number upright.
   */
  matrix?: readonly [a: number, b: number, c: number, d: number]
  /** Whether the clip has a silent sound track. */
  hasSound: boolean
  /** Changes a packet, whose time is still in `ticks`; false drops it. */
  change: (packet: Packet) => boolean
  /** Options of the file, as named by FFmpeg. */
  fileOptions: Record<string, string>
  /** Chapters; for .mp4, .mov, .mkv and .webm. */
  chapters?: readonly ClipChapter[]
}

const usual: Clip = {
  codec: 'h264',
  frames: 50,
  width: 320,
  height: 192,
  gop: 12,
  options: {},
  ticks: 25,
  timeOf: (frame) => frame,
  hasSound: false,
  change: () => true,
  fileOptions: {},
}

/**
 * Encodes a clip into a file. Its extension selects the container: .mp4, .mov, .mkv, .webm, .avi, .ts, .m2ts, .mpg,
 * .vob, .wmv, .asf, .flv, .ogv.
 */
export function writeClip(path: string, given: Partial<Clip> = {}): void {
  const { chapters = [] } = given
  const hasRoom = chapters.length > 0 && /\.(mkv|webm)$/.test(path)
  const fileOptions = { ...given.fileOptions, ...(hasRoom && roomForChapters(chapters)) }
  if (given.codec === 'av1') writeApart(path, { ...given, fileOptions })
  else writeHere(path, { ...usual, ...given, fileOptions })
  if (chapters.length > 0) addChapters(path, chapters)
}

const self = fileURLToPath(import.meta.url)
const execArgv = self.endsWith('.ts') ? ['--conditions=@reticle/source', '--import', 'tsx'] : []

/**
 * Encodes in a separate process: where permitted, the AV1 encoder gives its calling thread real-time priority, which
 * everything that this thread starts later would inherit.
 */
function writeApart(path: string, { timeOf, change, ...given }: Partial<Clip>): void {
  if (timeOf || change) throw new Error('a clip of AV1 is described by what JSON can say')
  const words = [...execArgv, self, path, JSON.stringify(given)]
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${path} was not encoded: ${stderr}`)
}

function writeHere(path: string, clip: Clip): void {
  Log.setLevel(AV_LOG_QUIET)
  const file = new FormatContext()
  check(file.allocOutputContext2(null, null, path))
  const isGlobal = file.oformat?.hasFlags(AVFMT_GLOBALHEADER) ?? false
  const picture = openEncoder(clip, isGlobal)
  const video = addStream(file, picture)
  if (clip.matrix)
    check(video.codecpar.addCodedSideData(AV_PKT_DATA_DISPLAYMATRIX, matrixBytes(clip.matrix)))
  const sound = clip.hasSound ? openSound(isGlobal) : undefined
  const audio = sound && addStream(file, sound)

  check(file.openOutputSync())
  setOptions(file, clip.fileOptions)
  check(file.writeHeaderSync())
  for (let frame = 0; frame < clip.frames; frame += 1)
    encode(file, video, picture, pictureOf(clip, frame), clip.change)
  encode(file, video, picture, null, clip.change)
  if (sound && audio) {
    for (let at = 0; at < soundRate; at += sound.frameSize)
      encode(file, audio, sound, silence(sound, at))
    encode(file, audio, sound, null)
  }
  check(file.writeTrailerSync())
  file.closeOutputSync()
  picture.freeContext()
  sound?.freeContext()
  file.freeContext()
}

type Stream = ReturnType<FormatContext['newStream']>

function openEncoder({ codec: name, width, height, gop, options, ticks }: Clip, isGlobal: boolean) {
  const codec = Codec.findEncoderByName(encoders[name])
  if (!codec) throw new Error(`this build has no encoder ${name}`)
  const context = new CodecContext()
  context.allocContext3(codec)
  Object.assign(context, { width, height, gopSize: gop, pixelFormat: formatOf(name) })
  Object.assign(context, { timeBase: new Rational(1, ticks), threadCount: 1, bitRate: 400_000n })
  if (isGlobal) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER)
  setOptions(context, options)
  check(context.open2Sync(codec))
  return context
}

const soundRate = 8000

function openSound(isGlobal: boolean): CodecContext {
  const codec = Codec.findEncoderByName(FF_ENCODER_AAC)
  if (!codec) throw new Error('this build has no encoder aac')
  const context = new CodecContext()
  context.allocContext3(codec)
  const channelLayout = { nbChannels: 1, order: 1, mask: 4n }
  Object.assign(context, { sampleRate: soundRate, sampleFormat: AV_SAMPLE_FMT_FLTP, channelLayout })
  context.timeBase = new Rational(1, soundRate)
  if (isGlobal) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER)
  check(context.open2Sync(codec))
  return context
}

function silence({ frameSize: nbSamples, channelLayout }: CodecContext, at: number): Frame {
  const sound = { nbSamples, format: AV_SAMPLE_FMT_FLTP, sampleRate: soundRate, channelLayout }
  return Frame.fromAudioBuffer(Buffer.alloc(nbSamples * 4), { ...sound, pts: BigInt(at) })
}

function addStream(file: FormatContext, encoder: CodecContext): Stream {
  const stream = file.newStream(null)
  check(stream.codecpar.fromContext(encoder))
  stream.timeBase = encoder.timeBase
  return stream
}

function pictureOf({ codec, width, height, timeOf, matrix }: Clip, frame: number): Frame {
  const picture = Buffer.alloc((width * height * 3) / 2, 128)
  picture.set(
    matrix ? turned({ width, height }, matrix, frame) : drawNumber({ width, height }, frame),
  )
  const as = { width, height, format: formatOf(codec), pts: BigInt(timeOf(frame)) }
  return Frame.fromVideoBuffer(picture, as)
}

/** Returns the frame in its stored orientation; the display matrix turns it upright. */
function turned(
  { width, height }: FrameSize,
  [a, b, c, d]: NonNullable<Clip['matrix']>,
  frame: number,
): Uint8Array {
  const upright = a === 0 ? { width: height, height: width } : { width, height }
  const drawn = drawNumber(upright, frame)
  const stored = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const shownX = a * x + c * y + (a + c < 0 ? upright.width - 1 : 0)
      const shownY = b * x + d * y + (b + d < 0 ? upright.height - 1 : 0)
      stored[y * width + x] = drawn[shownY * upright.width + shownX] ?? 0
    }
  return stored
}

const formatOf = (codec: Clip['codec']) =>
  codec === 'mjpeg' ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P

/** Sends a frame (null: the end) and writes all resulting packets. */
function encode(
  file: FormatContext,
  stream: Stream,
  encoder: CodecContext,
  given: Frame | null,
  change: Clip['change'] = () => true,
): void {
  check(encoder.sendFrameSync(given))
  given?.free()
  const packet = new Packet()
  packet.alloc()
  while (encoder.receivePacketSync(packet) >= 0) {
    if (!change(packet)) continue
    packet.streamIndex = stream.index
    if (packet.duration === 0n) packet.duration = 1n // without it the last frame is missing in an MP4
    packet.rescaleTs(encoder.timeBase, stream.timeBase)
    check(file.interleavedWriteFrameSync(packet))
  }
  packet.free()
}

/** Formats the matrix as nine numbers of 16.16 fixed point, the last of each row of 2.30 (ISO 14496-12, 8.3.2). */
function matrixBytes([a, b, c, d]: NonNullable<Clip['matrix']>): Buffer {
  const one = 65_536
  const numbers = [a * one, b * one, 0, c * one, d * one, 0, 0, 0, 1 << 30]
  return Buffer.from(Int32Array.from(numbers).buffer)
}

/** Sets options without a `Dictionary`, which would be freed twice. */
function setOptions(context: FormatContext | CodecContext, options: Record<string, string>): void {
  for (const [name, value] of Object.entries(options)) check(context.setOption(name, value))
}

function check(code: number): void {
  if (code < 0) throw new Error(`the clip cannot be made: error ${code}`)
}

if (process.argv[1] === self) {
  const [, , path = '', given = ''] = process.argv
  writeHere(path, { ...usual, ...JSON.parse(given) })
}
