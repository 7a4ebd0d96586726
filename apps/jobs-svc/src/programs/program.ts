import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Failures, ReadFile } from './failures.ts'

/** What one process may take (`reliability.md` 9). */
export interface ProgramLimits {
  /** Processor seconds. */
  cpuSeconds: number
  /** Memory in bytes. */
  memoryBytes: number
  /** Longest silence that is waited for, in milliseconds. */
  silenceMs: number
}

/** How programs that read what strangers sent are started. */
export interface Surroundings {
  limits: ProgramLimits
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
  file: ReadFile
  failures: Failures
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
 * Starts a program without a shell and without the secrets of this process: it is foreign code that reads what strangers sent
 * (`reliability.md` 9). It gets limits of the system for processor time, memory and files, is killed when it is silent for too
 * long or `signal` fires, and has a standard input that ends when this process does.
 */
export function startProgram(program: Program, around: Surroundings, signal: AbortSignal): Running {
  signal.throwIfAborted()
  const { file, failures, onLine, patienceMs = 0, mayGiveUp = false } = program
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
    if (isSilent) throw failures.tooLong(file)
    const failure = failureOf(ending, said(), program)
    if (failure) throw failure
    if (ending.code !== 0 && !mayGiveUp) throw failures.unreadable(file, said())
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

function failureOf({ code, killer, error }: Ending, said: string, { file, failures }: Program) {
  if (error) return failures.unstarted(file, error.message)
  if (killer) return brokenBy(killer, said, { file, failures })
  if (code === 0) return undefined
  if (/Cannot allocate memory/i.test(said)) return failures.tooMuchMemory(file)
  if (/received signal 24/.test(said)) return failures.tooLong(file) // SIGXCPU, which ffmpeg takes for a request
  return undefined
}

/** How a process ended that nobody here asked to end. Node.js says why it aborts itself. */
function brokenBy(
  killer: NodeJS.Signals,
  said: string,
  { file, failures }: Pick<Program, 'file' | 'failures'>,
): Error {
  if (killer === 'SIGXCPU') return failures.tooLong(file)
  if (killer === 'SIGKILL' || killer === 'SIGTERM') return failures.killed(file)
  if (/FATAL ERROR: /i.test(said) && /out of memory/i.test(said))
    return failures.tooMuchMemory(file)
  return failures.broken(file, killer)
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
