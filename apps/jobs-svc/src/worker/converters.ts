import { spawn } from 'node:child_process'
import type { Logger } from '@reticle/kit/log'
import { detailOf, type Exit, endedConverter, invalidMessage } from '../operations/failure.ts'
import { ownProgram } from '../programs/own-program.ts'
import type { Work } from '../requests/work.ts'
import {
  type ConverterData,
  decodeMessage,
  encodeMessage,
  type ToConverter,
} from './converter-messages.ts'
import { type Conversion, openRun, type Run, receive, type Watch } from './receive.ts'

/** The converters of a worker. */
export interface Converters {
  /** Runs a conversion in an idle process, or in a new one. */
  run: (work: Work, watch: Watch) => Promise<Conversion>
  /** Ends the idle processes. No conversion may be running. */
  stop: () => Promise<void>
}

export interface ConvertersOptions extends ConverterOptions {
  /** What a conversion that is stopped has for putting its files away, in milliseconds. */
  graceMs: number
  /** How long an idle process is kept for the next conversion, in milliseconds. */
  idleMs: number
  log: Logger
}

interface Used {
  converter: Converter
  /** Number of the last run. */
  runs: number
  /** The run whose messages count. */
  run?: Run | undefined
  /** Ends an idle process. */
  timer?: NodeJS.Timeout
}

/**
 * Starts a process for a conversion when none is idle. The process that became idle last is used first, so that few are kept where
 * few conversions run at once. A process that was stopped, or whose conversion failed for another reason than its input, is never
 * used again.
 */
export function openConverters(options: ConvertersOptions): Converters {
  const idle: Used[] = []
  const take = (): Used => {
    const used = idle.pop()
    clearTimeout(used?.timer)
    if (!used) return open(options)
    return used.converter.isAlive() ? used : take()
  }
  const keep = (used: Used) => {
    idle.push(used)
    used.timer = setTimeout(() => {
      idle.splice(idle.indexOf(used), 1)
      void used.converter.end()
    }, options.idleMs)
  }

  return {
    run: async (work, watch) => {
      const used = take()
      const conversion = await runIn(used, work, watch, options.graceMs)
      if (watch.signal.aborted || !isReusable(conversion)) await used.converter.end()
      else keep(used)
      return conversion
    },
    stop: async () => {
      for (const { timer } of idle) clearTimeout(timer)
      await Promise.all(idle.map(({ converter }) => converter.end()))
    },
  }
}

const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : 'unknown')

const isReusable = (conversion: Conversion) =>
  conversion.type === 'done' || conversion.failure.kind === 'user'

/** The listeners never throw, for any message of the converter: an exception here would end the worker with all its conversions. */
function open({ log, ...options }: ConvertersOptions): Used {
  let hasIgnored = false
  const ignore = (sent: unknown) => {
    if (!hasIgnored)
      log.warn({ sent: detailOf(sent) }, 'a message after the end of its run ignored')
    hasIgnored = true
  }
  const converter = startConverter(options, {
    message: (sent) => {
      try {
        receive(decodeMessage(sent), opened.run, ignore)
      } catch (thrown) {
        const failure = invalidMessage(`it cannot be read: ${messageOf(thrown)}`)
        opened.run?.end({ type: 'failed', failure })
      }
    },
    exit: (exit) => opened.run?.end({ type: 'failed', failure: endedConverter(exit) }),
  })
  const opened: Used = { converter, runs: 0 }
  return opened
}

/** Sends the work and waits for the result of the converter, or for its exit. */
async function runIn(used: Used, work: Work, watch: Watch, graceMs: number): Promise<Conversion> {
  const { converter } = used
  const number = ++used.runs
  const run = openRun(number, watch, converter.send)
  const { signal } = watch
  let kill: NodeJS.Timeout | undefined
  const stop = () => {
    converter.send({ type: 'abort', run: number })
    kill = setTimeout(() => converter.end(), graceMs)
  }
  used.run = run
  try {
    converter.send({ type: 'run', run: number, work })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    return await run.ended
  } finally {
    used.run = undefined
    clearTimeout(kill)
    signal.removeEventListener('abort', stop)
  }
}

interface ConverterOptions {
  data: ConverterData
  /** Heap of the process, in MiB. V8 aborts the process where an allocation does not fit. */
  heapMib: number
}

interface Listeners {
  message: (sent: unknown) => void
  /** Called once, after the last message. */
  exit: (exit: Exit) => void
}

/** A process that runs one conversion at a time. */
interface Converter {
  /** False as soon as the process exits or `end` is called. */
  isAlive: () => boolean
  send: (message: ToConverter) => void
  /** Kills the process. Resolves when it has exited. */
  end: () => Promise<void>
}

/** An abort of V8 writes a stack of a few KB after its reason. */
const keptErrors = 16_000

/**
 * Starts a converter. It is a process and not a thread, because an allocation that does not fit into the heap can abort the
 * whole process (ADR 0035). Its standard input ends with this process, and the converter with it.
 */
function startConverter(
  { data, heapMib }: ConverterOptions,
  { message, exit }: Listeners,
): Converter {
  const args = [`--max-old-space-size=${heapMib}`, ...ownProgram('../convert', import.meta.url)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'inherit', 'pipe', 'ipc'] })
  let isAlive = true
  let errors = ''
  child.stdin?.on('error', () => undefined)
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text)
    errors = (errors + text).slice(-keptErrors)
  })
  const kill = () => {
    isAlive = false
    child.kill('SIGKILL')
  }
  child.on('message', message)
  child.on('disconnect', kill)
  const exited = new Promise<void>((resolve) => {
    const leave = (code: number | null, signal: NodeJS.Signals | null) => {
      isAlive = false
      exit({ code, signal, errors })
      resolve()
    }
    // `close` comes after the last message and the last error output, `exit` may come before them.
    child.once('close', leave)
    child.once('error', (thrown) => {
      errors += thrown.message
      kill()
      if (child.pid === undefined) leave(null, null)
    })
  })
  const post = (sent: unknown) => {
    // The exit reports why a message could not be sent.
    if (child.connected) child.send(encodeMessage(sent), () => undefined)
  }
  post(data)
  return {
    isAlive: () => isAlive,
    send: post,
    end: () => {
      kill()
      return exited
    },
  }
}
