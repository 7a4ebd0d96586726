import { z } from 'zod'
import { splitLinesOf } from '../../programs/pieces.ts'
import { startProgram } from '../../programs/program.ts'
import { type DecoderEnvironment, mostChapters, type VideoFile } from '../decoder.ts'
import type { ChapterFacts, Engine, Look, PacketFacts } from '../engine.ts'
import { decoderFailures as failures, unreadable } from '../failures.ts'
import type { DisplayMatrix } from '../orientation.ts'
import { addressOf, decodingOptions, inputOptions, listenForCut, optionsOf } from './inputs.ts'

/** Reads facts of videos by the program ffprobe, from the first video stream that is not a cover picture (`V:0`). */
export function ffprobeFacts(
  ffprobe: string,
  environment: DecoderEnvironment,
): Pick<Engine, 'look' | 'packets' | 'times' | 'chapters'> {
  const run = (args: string[], file: VideoFile, signal: AbortSignal, listen?: Listen) => {
    const input = [
      ...optionsOf({ ...inputOptions, ...decodingOptions }),
      '-i',
      addressOf(file.path),
    ]
    const threads = ['-threads', String(environment.limits.threads)]
    const all = ['-v', 'error', '-select_streams', 'V:0', ...threads, ...args, ...input]
    const program = { command: ffprobe, args: all, file, failures, ...listen }
    return startProgram(program, environment, signal)
  }
  async function* lines(args: string[], file: VideoFile, signal: AbortSignal, listen?: Listen) {
    const running = run([...args, '-of', 'csv=p=0'], file, signal, listen)
    try {
      yield* splitLinesOf(running.pieces())
    } finally {
      await running.end()
    }
  }
  return {
    look: async (file, signal) => {
      const running = run(lookArgs, file, signal)
      try {
        return lookOf(readAnswer(await gatherText(running.pieces(), file), file))
      } finally {
        await running.end()
      }
    },
    async *packets(file, signal) {
      const { onLine, end } = listenForCut()
      for await (const batch of lines(packetArgs, file, signal, { onLine }))
        yield batch.map(packetOf)
      yield end()
    },
    async *times(file, signal) {
      for await (const batch of lines(timeArgs, file, signal))
        yield batch.filter(isTime).map(timeOf)
    },
    chapters: async (file, signal) => {
      const running = run(chapterArgs, file, signal)
      const found: ChapterFacts[] = []
      try {
        for await (const batch of splitLinesOf(running.pieces(), longestChapter)) {
          found.push(...batch.flatMap(chapterOf))
          if (found.length > mostChapters) break
        }
        return found.slice(0, mostChapters + 1)
      } finally {
        await running.end()
      }
    },
  }
}

type Listen = { onLine: (line: string) => void }

/** Decoding stops after this many packets: a file without a picture by then is unlikely to have one. */
const lookArgs = ['-show_streams', '-show_frames', '-read_intervals', '%+#200', '-of', 'json']
const packetArgs = ['-show_entries', 'packet=pts,size,flags']
const timeArgs = ['-show_frames', '-show_entries', 'frame=best_effort_timestamp']

const chapterEntries = 'chapter=start_time,end_time:chapter_tags=title'
const chapterArgs = ['-show_entries', chapterEntries, '-of', 'compact=p=0']
/** Limit in bytes of a line that describes a chapter; titles are cut far below. */
const longestChapter = 16 * 1024

const mostText = 4 * 1024 * 1024

async function gatherText(pieces: AsyncIterable<Buffer>, file: VideoFile): Promise<string> {
  let text = ''
  for await (const piece of pieces) {
    text += piece.toString('latin1')
    if (text.length > mostText) throw unreadable(file, 'ffprobe says too much')
  }
  return text
}

const pixels = z.int().min(0)
const sideData = z.looseObject({ displaymatrix: z.string().optional() })
const answer = z.object({
  streams: z
    .array(
      z.object({
        codec_name: z.string().default('unknown'),
        width: pixels.default(0),
        height: pixels.default(0),
        time_base: z.string().regex(/^\d+\/\d+$/),
        side_data_list: z.array(sideData).default([]),
      }),
    )
    .default([]),
  frames: z
    .array(
      z.object({ width: pixels, height: pixels, best_effort_timestamp: z.number().optional() }),
    )
    .default([]),
})

type Answer = z.output<typeof answer>

function readAnswer(text: string, file: VideoFile): Answer {
  try {
    return answer.parse(JSON.parse(text))
  } catch (thrown) {
    throw unreadable(file, `ffprobe is not understood: ${thrown}`)
  }
}

function lookOf({ streams, frames }: Answer): Look {
  const [stream] = streams
  if (!stream) return {}
  const [num = 0, den = 0] = stream.time_base.split('/').map(Number)
  const matrix = stream.side_data_list.map(({ displaymatrix }) => displaymatrix).find(Boolean)
  const { codec_name: codec, width, height } = stream
  const described = { codec, width, height, time_base: { num, den } }
  const [first] = frames
  return {
    stream: { ...described, ...(matrix && { matrix: matrixOf(matrix) }) },
    ...(first && { first: { ...first, time: first.best_effort_timestamp ?? Number.NaN } }),
  }
}

/** Parses a display matrix in three lines such as `00000000:            0       65536           0`. */
function matrixOf(text: string): DisplayMatrix {
  const rows = [...text.matchAll(/[0-9a-f]{8}:\s{0,20}(-?\d{1,15})\s{1,20}(-?\d{1,15})/g)]
  const [[, a, b] = [], [, c, d] = []] = rows
  return [Number(a), Number(b), Number(c), Number(d)]
}

/** Parses `512,91,K__`: time, bytes, flags. */
function packetOf(line: string): PacketFacts {
  const [time = '', size, flags = ''] = line.split(',')
  const isShown = size !== '0' && !flags.includes('D')
  return { time: timeOf(time), isKey: flags.includes('K'), isShown, isCut: flags.includes('C') }
}

/** Parses `start_time=0.000000|end_time=1.500000|tag:title=One`, with special characters escaped by a backslash. */
function chapterOf(line: string): ChapterFacts[] {
  const text = Buffer.from(line, 'latin1').toString()
  const [, start, end, title = ''] =
    /^start_time=([^|]{1,40})\|end_time=([^|]{1,40})(?:\|tag:title=(.*))?$/s.exec(text) ?? []
  if (start === undefined) return []
  const plain = title.replace(/\\(.)/gs, (_, letter: string) => escaped[letter] ?? letter)
  return [{ start: Number(start), end: Number(end), title: plain }]
}

const escaped: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r' }

/** Distinguishes lines of pictures from lines of data beside them. */
const isTime = (line: string) => /^(-?\d+|N\/A)(,|$)/.test(line)

/** Parses a time; NaN for `N/A`. */
const timeOf = (line: string) => Number.parseInt(line, 10)
