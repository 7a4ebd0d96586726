import { z } from 'zod'
import { ownProgram } from '../../programs/own-program.ts'
import { startProgram } from '../../programs/program.ts'
import { readRecords } from '../../programs/records.ts'
import type { DecoderEnvironment, VideoFile, VideoIndex } from '../decoder.ts'
import type { Engine, Look, PacketFacts } from '../engine.ts'
import { decoderFailures as failures, unreadable } from '../failures.ts'
import { turned } from '../orientation.ts'
import { longestWay, patienceFor } from '../passes.ts'
import { listenForChapters } from './chapter-lines.ts'
import { listenForCut } from './inputs.ts'
import { type NodeAvQuery, nodeAvRecords, noMemory, numbersOf, packetFlags } from './records.ts'

const defaultEntry = ownProgram('./node-av-program', import.meta.url)

export interface NodeAvOptions extends DecoderEnvironment {
  version: string
  /** Arguments of Node.js that start the program; tests replace them. */
  entry?: readonly string[]
}

/**
 * Creates the engine of the npm package node-av, which runs in a separate process for each question
 * (`node-av-program.ts`).
 */
export function nodeAvEngine({ version, ...options }: NodeAvOptions): Engine {
  const { threads } = options.limits
  return {
    about: { adapter: 'node-av', version },
    look: async (file, signal) => {
      const question: NodeAvQuery = { ask: 'look', path: file.path, threads }
      for await (const { bytes } of runQuery(question, { file }, options, signal))
        return lookOf(bytes, file)
      throw unreadable(file)
    },
    async *packets(file, signal) {
      const { onLine, end } = listenForCut()
      const question: NodeAvQuery = { ask: 'packets', path: file.path, threads }
      for await (const { bytes } of runQuery(question, { file, onLine }, options, signal))
        yield packetsOf(numbersOf(bytes))
      yield end()
    },
    async *times(file, signal) {
      const question: NodeAvQuery = { ask: 'times', path: file.path, threads }
      for await (const { bytes } of runQuery(question, { file }, options, signal))
        yield [...numbersOf(bytes)]
    },
    chapters: async (file, signal) => {
      const full = new AbortController()
      const { onLine, found } = listenForChapters(() => full.abort())
      const question: NodeAvQuery = { ask: 'chapters', path: file.path, threads }
      const either = AbortSignal.any([signal, full.signal])
      try {
        // The loop ends when the process has exited and all its lines were read.
        for await (const _ of runQuery(question, { file, onLine }, options, either))
          throw unreadable(file, 'an answer that is no chapter')
      } catch (thrown) {
        if (signal.aborted || !full.signal.aborted) throw thrown
      }
      return found
    },
    async *pictures(file, index, pass, signal) {
      const { by, orientation } = index
      const { from = null, spans } = pass
      const wanted = { ...turned(index, orientation), by, from, spans }
      const question: NodeAvQuery = { ask: 'picture', path: file.path, threads, ...wanted }
      const patienceMs = patienceFor(longestWay(index, pass))
      const query = { file, patienceMs, mostBytes: bytesOf(index), mayGiveUp: true }
      for await (const { time, bytes } of runQuery(question, query, options, signal))
        yield { time, pixels: bytes }
    },
  }
}

/**
 * Returns the version of node-av.
 *
 * @throws DomainError unavailable, UnusableInput when it is not installed, or does not run on this machine
 */
export async function nodeAvVersion(
  options: Omit<NodeAvOptions, 'version'>,
  signal: AbortSignal,
): Promise<string> {
  const file = { path: '', name: 'node-av' }
  for await (const { bytes } of runQuery({ ask: 'version' }, { file }, options, signal))
    return bytes.toString()
  throw unreadable(file)
}

const bytesOf = ({ width, height }: VideoIndex) => width * height * 3

interface Asked {
  file: VideoFile
  patienceMs?: number
  mayGiveUp?: boolean
  onLine?: (line: string) => void
  /** Limit per record, because the process may be under the control of a malicious file. */
  mostBytes?: number
}

async function* runQuery(
  question: NodeAvQuery,
  { mostBytes = 1024 * 1024, mayGiveUp = false, ...query }: Asked,
  { entry: path = defaultEntry, ...environment }: Omit<NodeAvOptions, 'version'>,
  signal: AbortSignal,
): AsyncGenerator<{ time: number; bytes: Buffer }> {
  const { file } = query
  const args = [...path, JSON.stringify(question)]
  const program = { command: process.execPath, args, failures, ...query }
  const running = startProgram(program, environment, signal)
  const reading = {
    codec: nodeAvRecords,
    mostBytes,
    unreadable: (why: string) => unreadable(file, why),
  }
  try {
    for await (const { kind, number, bytes } of readRecords(running.pieces(), reading)) {
      if (kind === 'failed' && mayGiveUp) return
      if (kind === 'failed') throw failureOf(file, String(bytes))
      if (kind !== question.ask) throw unreadable(file, kind)
      yield { time: number, bytes }
    }
  } finally {
    await running.end()
  }
}

const failureOf = (file: VideoFile, output: string) =>
  output.includes(noMemory) ? failures.tooMuchMemory(file) : unreadable(file, output)

function packetsOf(numbers: Float64Array): PacketFacts[] {
  return Array.from({ length: numbers.length / 2 }, (_, place) => {
    const [time = Number.NaN, known = 0] = numbers.subarray(place * 2, place * 2 + 2)
    const is = (flag: number) => (known & flag) !== 0
    const { isKey, isShown, isCut } = packetFlags
    return { time, isKey: is(isKey), isShown: is(isShown), isCut: is(isCut) }
  })
}

const pixels = z.int().min(0)
/** JSON cannot represent NaN. */
const time = z
  .number()
  .nullish()
  .transform((given) => given ?? Number.NaN)

/** `Look` as the program sends it. */
const lookAnswer = z.object({
  stream: z
    .object({
      codec: z.string(),
      width: pixels,
      height: pixels,
      time_base: z.object({ num: z.int(), den: z.int() }),
      matrix: z.tuple([z.number(), z.number(), z.number(), z.number()]).optional(),
    })
    .optional(),
  first: z.object({ width: pixels, height: pixels, time }).optional(),
})

function lookOf(bytes: Buffer, file: VideoFile): Look {
  try {
    return lookAnswer.parse(JSON.parse(bytes.toString()))
  } catch (thrown) {
    throw unreadable(file, `the answer is not understood: ${thrown}`)
  }
}
