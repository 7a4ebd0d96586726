import { createPieceReader } from '../../programs/pieces.ts'
import { startProgram } from '../../programs/program.ts'
import type { DecoderEnvironment, VideoIndex } from '../decoder.ts'
import type { Engine } from '../engine.ts'
import { decoderFailures as failures } from '../failures.ts'
import { turned } from '../orientation.ts'
import { longestWay, type Pass, patienceFor } from '../passes.ts'
import { ffprobeFacts } from './ffprobe.ts'
import { addressOf, decoderOption, decodingOptions, inputOptions, optionsOf } from './inputs.ts'

export interface FfmpegOptions extends DecoderEnvironment {
  ffmpeg: string
  ffprobe: string
  version: string
  /** Option that passes pictures on at their own times: `-fps_mode` since 5.1, `-vsync` before. */
  passing: '-fps_mode' | '-vsync'
}

/**
 * Creates the engine of the programs `ffmpeg` and `ffprobe`. They run as child processes, which isolates their licence
 * and their crashes.
 */
export function ffmpegEngine({
  ffmpeg,
  ffprobe,
  version,
  passing,
  ...environment
}: FfmpegOptions): Engine {
  return {
    about: { adapter: 'ffmpeg', version },
    ...ffprobeFacts(ffprobe, environment),
    async *pictures(file, index, pass, signal) {
      const { onLine, next } = createTimeReader(index)
      const args = ['-v', 'info', '-nostats', '-hide_banner', '-nostdin']
      args.push(
        '-threads',
        String(environment.limits.threads),
        ...inputArgs(file.path, index, pass),
      )
      args.push('-map', '0:V:0', '-an', '-sn', '-dn', '-vf', filtersOf(index, pass))
      args.push(passing, 'passthrough', '-c:v', 'rawvideo', '-f', 'rawvideo', 'pipe:1')
      const patienceMs = patienceFor(longestWay(index, pass))
      const how = { failures, onLine, patienceMs, mayGiveUp: true }
      const program = { command: ffmpeg, args, file, ...how }
      const running = startProgram(program, environment, signal)
      try {
        const size = index.width * index.height * 3
        const read = createPieceReader(running.pieces())
        let place = 0
        for (let pixels = await read(size); pixels; pixels = await read(size)) {
          const ticks = await next(running.left)
          if (ticks === undefined) return
          const time = index.by === 'time' ? ticks : orderOf(index, pass, place)
          place += 1
          yield { time, pixels }
        }
      } finally {
        await running.end()
      }
    },
  }
}

/**
 * Keeps the times of the file, and seeks half a tick behind the key frame, so that rounding does not select the one
 * before.
 */
function inputArgs(
  path: string,
  { time_base: { num, den } }: VideoIndex,
  { from }: Pass,
): string[] {
  const seconds = from === undefined ? undefined : ((from + 0.5) * num) / den
  const seek =
    seconds === undefined
      ? []
      : ['-noaccurate_seek', '-seek_timestamp', '1', '-ss', seconds.toFixed(9)]
  const options = optionsOf({ ...inputOptions, ...decoderOption, ...decodingOptions })
  return ['-noautorotate', ...options, ...seek, '-copyts', '-i', addressOf(path)]
}

/**
 * Selects the spans, then everything behind them, so that a missing frame is noticed at once and not at the end of the
 * file.
 */
function filtersOf(index: VideoIndex, { spans }: Pass): string {
  const { width, height } = turned(index, index.orientation)
  const by = index.by === 'time' ? 'pts' : 'n'
  const wanted = spans.map(({ first, last }) => `between(${by},${first},${last})`)
  const behind = `gt(${by},${spans.at(-1)?.last})`
  const select = `select='${[...wanted, behind].join('+')}'`
  return `${select},showinfo,scale=${width}:${height}:flags=bicubic,format=rgb24`
}

/**
 * Returns the time of a picture by its place in the output: first the frames of the spans, then any later picture as
 * infinite.
 */
const orderOf = ({ pts }: VideoIndex, { frames }: Pass, place: number) =>
  pts[frames[place] ?? Number.NaN] ?? Number.POSITIVE_INFINITY

/** Reads the times that the filter `showinfo` logs for each picture, in their order. */
function createTimeReader({ time_base }: VideoIndex) {
  const times: number[] = []
  let scale = 1
  let notify: () => void = () => undefined
  return {
    onLine: (line: string) => {
      if (!line.startsWith('[Parsed_showinfo_')) return
      const [, num, den] = / config in time_base: (\d{1,15})\/(\d{1,15})/.exec(line) ?? []
      if (num && den) scale = (Number(num) * time_base.den) / (Number(den) * time_base.num)
      const [, ticks] = /\] n: {0,20}\d{1,15} pts: {0,20}(-?\d{1,19}|NOPTS) /.exec(line) ?? []
      if (ticks) times.push(Math.round(Number(ticks) * scale))
      notify()
    },
    /** Returns the time of the next picture; undefined when the program has exited without one. */
    next: async (left: Promise<unknown>): Promise<number | undefined> => {
      let isLeft = false
      const exited = left.then(() => {
        isLeft = true
      })
      while (times.length === 0 && !isLeft) {
        const line = new Promise<void>((resolve) => {
          notify = resolve
        })
        await Promise.race([exited, line])
      }
      return times.shift()
    },
  }
}
