import { spawn } from 'node:child_process'
import type { Logger } from '@reticle/kit/observe/log'
import { ownProgram } from '../programs/own-program.ts'
import { detailOf, type Exit, endedConverter, invalidMessage } from '../work/failure.ts'
import type { RequestWork } from '../work/request-work.ts'
import {
  type ConverterData,
  decodeMessage,
  encodeMessage,
  type ToConverter,
} from './converter-messages.ts'
import {
  type ConversionCallbacks,
  type ConversionResult,
  type ConverterRun,
  handleConverterMessage,
  openConverterRun,
} from './converter-run.ts'

/** Pool of converters of a worker. */
export interface Converters {
  /** Runs a conversion in an idle process, or in a new one. */
  run: (work: RequestWork, watch: ConversionCallbacks) => Promise<ConversionResult>
  /** Ends the idle processes. Requires that no conversion is running. */
  stop: () => Promise<void>
}

export interface ConvertersOptions extends ConverterOptions {
  /** Time for a stopped conversion to clean up its files, in milliseconds. */
  graceMs: number
  /** Time that an idle process is kept for the next conversion, in milliseconds. */
  idleMs: number
  log: Logger
}

interface Used {
  converter: Converter
  /** Number of the last run. */
  runs: number
  /** Run whose messages are accepted. */
  run?: ConverterRun | undefined
  /** Ends the process when it stays idle. */
  timer?: NodeJS.Timeout
}

/**
 * Creates the pool, which starts a process when no idle one exists. It reuses the process that became idle last, so
 * that few processes are kept when few conversions run at the same time. A process that was stopped, or whose
 * conversion failed for another reason than its input, is not reused.
 */
export function openConverters(options: ConvertersOptions): Converters {
  const idle: Used[] = []
  const take = (): Used => {
    const used = idle.pop()
    clearTimeout(used?.timer)
    if (!used) return open(options)
    return used.converter.isAlive() ? used : take()
  }
  const release = (used: Used) => {
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
      else release(used)
      return conversion
    },
    stop: async () => {
      for (const { timer } of idle) clearTimeout(timer)
      await Promise.all(idle.map(({ converter }) => converter.end()))
    },
  }
}

const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : 'unknown')

const isReusable = (conversion: ConversionResult) =>
  conversion.type === 'done' || conversion.failure.kind === 'user'

/**
 * Starts a converter. Its listeners must not throw for any message: an exception here would end the worker with all its
 * conversions.
 */
function open({ log, ...options }: ConvertersOptions): Used {
  let hasIgnored = false
  const ignore = (sent: unknown) => {
    if (!hasIgnored)
      log.warn({ sent: detailOf(sent) }, 'converter message after the end of its run ignored')
    hasIgnored = true
  }
  const converter = startConverter(options, {
    message: (sent) => {
      try {
        handleConverterMessage(decodeMessage(sent), opened.run, ignore)
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

/** Sends the work; resolves with the result of the converter, or when it exits. */
async function runIn(
  used: Used,
  work: RequestWork,
  watch: ConversionCallbacks,
  graceMs: number,
): Promise<ConversionResult> {
  const { converter } = used
  const number = ++used.runs
  const run = openConverterRun(number, watch, converter.send)
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
  /** Heap limit of the process in MiB. V8 aborts the process when an allocation does not fit. */
  heapMib: number
}

interface Listeners {
  message: (sent: unknown) => void
  /** Called once, after the last message. */
  exit: (exit: Exit) => void
}

/** Process that runs one conversion at a time. */
interface Converter {
  /** False as soon as the process exits or `end` is called. */
  isAlive: () => boolean
  send: (message: ToConverter) => void
  /** Kills the process. Resolves when it has exited. */
  end: () => Promise<void>
}

/** Length of kept error output. V8 writes a stack of a few KB after the reason of an abort. */
const maxErrorLength = 16_000

/**
 * Starts a converter as a process instead of a thread, because an allocation that does not fit into the heap can abort
 * the whole process (docs/adr/0035-run-each-conversion-in-its-own-process.md). Its standard input closes when this
 * process ends, and that ends the converter.
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
    errors = (errors + text).slice(-maxErrorLength)
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
    // `close` is emitted after the last message and the last error output; `exit` may precede them.
    child.once('close', leave)
    child.once('error', (thrown) => {
      errors += thrown.message
      kill()
      if (child.pid === undefined) leave(null, null)
    })
  })
  const post = (sent: unknown) => {
    // The exit handler reports why a message could not be sent.
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
