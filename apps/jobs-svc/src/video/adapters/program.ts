import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { unavailable } from '@reticle/kit'
import type { DecoderLimits, VideoFile } from '../decoder.ts'
import { brokenBy, tooLong, tooMuchMemory, unreadable } from '../failures.ts'

/** How programs of decoders are started. */
export interface Surroundings {
  limits: DecoderLimits
  /** Where `prlimit` of util-linux is; undefined: limits of the system are not set, only those by the clock. */
  limiter: string | undefined
  /** The little that programs need of the environment. */
  env: Record<string, string>
  /** A port: tests look at processes, and put others in their place. */
  start?: (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess
}

export interface Program {
  command: string
  args: readonly string[]
  /** What is read for. */
  file: VideoFile
  /** Told each line of the error output. */
  onLine?: (line: string) => void
  /** Added to the longest silence. */
  patienceMs?: number
  /** Giving up is no failure: what it has written by then is what there is. */
  mayGiveUp?: boolean
}

/** A started program. Whoever starts one calls `end` in the end, whatever happens. */
export interface Running {
  /** What it writes, as far as it is asked for. Throws when it comes to a bad end, or `signal` fires. */
  pieces: () => AsyncGenerator<Buffer>
  /** Resolves when all is read and the program has left. */
  left: Promise<unknown>
  /** Kills it if it runs, and waits until it is gone. */
  end: () => Promise<void>
}

/** Kept of the error output. */
const tailLength = 4000

/**
 * Starts a program without a shell and without the secrets of this process: what decodes is native code that reads what strangers
 * sent (`reliability.md` 9). It gets limits of the system for processor time, memory and files, is killed when it is silent for too
 * long or `signal` fires, and has a standard input that ends when this process does.
 */
export function startProgram(program: Program, around: Surroundings, signal: AbortSignal): Running {
  signal.throwIfAborted()
  const { file, onLine, patienceMs = 0, mayGiveUp = false } = program
  const { limits, env, start = spawn } = around
  const { command, args } = limited(program, around)
  const child = start(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env, windowsHide: true })
  const { stdin, stdout, stderr } = child
  const left = leaving(child)
  const said = listen(stderr, onLine)
  stdin?.on('error', () => undefined)

  const kill = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  let isSilent = false
  let isAwaited = false
  const alarm = setTimeout(() => {
    if (isAwaited) isSilent = true
    if (isAwaited) kill()
  }, limits.silenceMs + patienceMs)
  const next = async (from: AsyncIterator<Buffer>) => {
    isAwaited = true
    alarm.refresh()
    try {
      return await from.next()
    } catch {
      return { done: true, value: undefined } as const // of a program that did not start
    } finally {
      isAwaited = false
    }
  }

  async function* pieces(): AsyncGenerator<Buffer> {
    if (!stdout) throw new Error('a program is started with pipes')
    const from: AsyncIterator<Buffer> = stdout[Symbol.asyncIterator]()
    for (let one = await next(from); !one.done; one = await next(from)) yield one.value
    const ending = await left
    signal.throwIfAborted()
    if (isSilent) throw tooLong(file)
    const failure = failureOf(ending, said(), file)
    if (failure) throw failure
    if (ending.code !== 0 && !mayGiveUp) throw unreadable(file, said())
  }
  return {
    pieces,
    left,
    end: async () => {
      clearTimeout(alarm)
      signal.removeEventListener('abort', kill)
      kill()
      for (const stream of [stdin, stdout]) stream?.destroy() // what it said last is still heard
      await left
    },
  }
}

interface Ending {
  code: number | null
  killer: NodeJS.Signals | null
  /** It could not be started. */
  error?: Error
}

async function leaving(child: ChildProcess): Promise<Ending> {
  try {
    const [code, killer] = await once(child, 'close')
    return { code, killer }
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return { code: null, killer: null, error }
  }
}

function failureOf({ code, killer, error }: Ending, said: string, file: VideoFile) {
  if (error)
    return unavailable(`${file.name}: the video decoder cannot be started: ${error.message}`)
  if (killer) return brokenBy(file, killer)
  if (code === 0) return undefined
  if (/Cannot allocate memory/i.test(said)) return tooMuchMemory(file)
  if (/received signal 24/.test(said)) return tooLong(file) // SIGXCPU, which ffmpeg takes for a request
  return undefined
}

/** @returns what it has said of late */
function listen(stream: ChildProcess['stderr'], onLine?: (line: string) => void): () => string {
  let tail = ''
  let rest = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (text: string) => {
    tail = (tail + text).slice(-tailLength)
    if (!onLine) return
    const lines = (rest + text).split('\n')
    rest = (lines.pop() ?? '').slice(0, tailLength)
    for (const line of lines) onLine(line)
  })
  stream?.on('error', () => undefined)
  return () => tail
}

/** The soft limit of time is a signal that tells why; the hard one behind it is for who does not heed it. */
function limited({ command, args }: Program, { limits, limiter }: Surroundings) {
  if (limiter === undefined) return { command, args }
  const { cpuSeconds, memoryBytes } = limits
  const given = [`--cpu=${cpuSeconds}:${cpuSeconds + 5}`, `--data=${memoryBytes}`]
  return { command: limiter, args: [...given, '--fsize=0', '--core=0', '--', command, ...args] }
}

/** Cuts what a program writes into pieces of a size. @returns undefined when there is no whole one any more */
export function cutInto(
  pieces: AsyncIterator<Buffer>,
): (size: number) => Promise<Buffer | undefined> {
  let rest: Buffer = Buffer.alloc(0)
  return async (size) => {
    const whole = Buffer.allocUnsafe(size)
    let filled = 0
    while (filled < size) {
      if (rest.length === 0) {
        const next = await pieces.next()
        if (next.done) return undefined
        rest = next.value
      }
      const taken = rest.copy(whole, filled)
      rest = rest.subarray(taken)
      filled += taken
    }
    return whole
  }
}

/** What a program writes, line by line. */
export async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  if (rest !== '') yield [rest]
}

/** For decoding so many pictures before there is something to show; hardly anything is slower than 20 a second. */
export const patienceFor = (pictures: number) => pictures * 50
