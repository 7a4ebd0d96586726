import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ProgramFailures, ReadFile } from './failures.ts'

/** Limits of one process. */
export interface ProgramLimits {
  /** Processor seconds. */
  cpuSeconds: number
  /** Memory in bytes. */
  memoryBytes: number
  /** Longest time without output, in milliseconds. */
  silenceMs: number
}

/** Environment in which programs that read untrusted files are started. */
export interface ProgramEnvironment {
  limits: ProgramLimits
  /** Path of `prlimit` of util-linux; undefined: no system limits are set, only those by the clock. */
  limiter: string | undefined
  /** The few environment variables that programs need. */
  env: Record<string, string>
  /** Replaced by tests, which record or substitute processes. */
  start?: (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess
}

export interface ProgramSpec {
  command: string
  args: readonly string[]
  /** File that is read, for messages. */
  file: ReadFile
  failures: ProgramFailures
  /** Called with each line of the error output. */
  onLine?: (line: string) => void
  /** Added to the longest time without output. */
  patienceMs?: number
  /** A failing exit is accepted: the output so far is the result. */
  mayGiveUp?: boolean
}

/** Started program. The caller must call `end`, also after errors. */
export interface RunningProgram {
  /** Yields its output with back-pressure. Throws when it fails, or `signal` fires. */
  pieces: () => AsyncGenerator<Buffer>
  /** Resolves when all output is read and the program has exited. */
  left: Promise<unknown>
  /** Kills it if it runs, and waits for its exit. */
  end: () => Promise<void>
}

/** Characters kept of the error output. */
const tailLength = 4000

/**
 * Starts a program without a shell and without the secrets of this process, because it is third-party code that reads
 * untrusted files. It gets system limits for processor time, memory and files, is killed when it is silent for too long
 * or `signal` fires, and has a standard input that closes when this process ends.
 */
export function startProgram(
  program: ProgramSpec,
  environment: ProgramEnvironment,
  signal: AbortSignal,
): RunningProgram {
  signal.throwIfAborted()
  const { file, failures, onLine, patienceMs = 0, mayGiveUp = false } = program
  const { limits, env, start = spawn } = environment
  const { command, args } = withSystemLimits(program, environment)
  const child = start(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env, windowsHide: true })
  const { stdin, stdout, stderr } = child
  const left = waitForExit(child)
  const readOutput = collectErrorOutput(stderr, onLine)
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
      return { done: true, value: undefined } as const // the program did not start
    } finally {
      isAwaited = false
    }
  }

  async function* pieces(): AsyncGenerator<Buffer> {
    if (!stdout) throw new Error('the program has no stdout pipe')
    const from: AsyncIterator<Buffer> = stdout[Symbol.asyncIterator]()
    for (let one = await next(from); !one.done; one = await next(from)) yield one.value
    const ending = await left
    signal.throwIfAborted()
    if (isSilent) throw failures.tooLong(file)
    const failure = failureOf(ending, readOutput(), program)
    if (failure) throw failure
    if (ending.code !== 0 && !mayGiveUp) throw failures.unreadable(file, readOutput())
  }
  return {
    pieces,
    left,
    end: async () => {
      clearTimeout(alarm)
      signal.removeEventListener('abort', kill)
      kill()
      for (const stream of [stdin, stdout]) stream?.destroy() // the rest of the error output is still read
      await left
    },
  }
}

interface ProgramExit {
  code: number | null
  killer: NodeJS.Signals | null
  /** Error of the start. */
  error?: Error
}

async function waitForExit(child: ChildProcess): Promise<ProgramExit> {
  try {
    const [code, killer] = await once(child, 'close')
    return { code, killer }
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return { code: null, killer: null, error }
  }
}

function failureOf(
  { code, killer, error }: ProgramExit,
  output: string,
  { file, failures }: ProgramSpec,
) {
  if (error) return failures.unstarted(file, error.message)
  if (killer) return createSignalError(killer, output, { file, failures })
  if (code === 0) return undefined
  if (/Cannot allocate memory/i.test(output)) return failures.tooMuchMemory(file)
  if (/received signal 24/.test(output)) return failures.tooLong(file) // SIGXCPU, which ffmpeg handles as a request to stop
  return undefined
}

/** Returns the error for a process that was killed by a signal. Node.js logs why it aborts itself. */
function createSignalError(
  killer: NodeJS.Signals,
  output: string,
  { file, failures }: Pick<ProgramSpec, 'file' | 'failures'>,
): Error {
  if (killer === 'SIGXCPU') return failures.tooLong(file)
  if (killer === 'SIGKILL' || killer === 'SIGTERM') return failures.killed(file)
  if (/FATAL ERROR: /i.test(output) && /out of memory/i.test(output))
    return failures.tooMuchMemory(file)
  return failures.broken(file, killer)
}

/**
 * Collects the error output.
 *
 * @returns function that returns its last part
 */
function collectErrorOutput(
  stream: ChildProcess['stderr'],
  onLine?: (line: string) => void,
): () => string {
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

/**
 * Adds system limits. The soft time limit is a signal that identifies the reason; the hard one kills programs that
 * ignore it.
 */
function withSystemLimits({ command, args }: ProgramSpec, { limits, limiter }: ProgramEnvironment) {
  if (limiter === undefined) return { command, args }
  const { cpuSeconds, memoryBytes } = limits
  const limitArgs = [`--cpu=${cpuSeconds}:${cpuSeconds + 5}`, `--data=${memoryBytes}`]
  return { command: limiter, args: [...limitArgs, '--fsize=0', '--core=0', '--', command, ...args] }
}
