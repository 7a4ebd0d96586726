import type { Worker } from 'node:worker_threads'
import type { Logger } from '@reticle/kit/log'
import { startThread } from '@reticle/kit/thread'
import {
  brokenThread,
  type DetailedFailure,
  detailOf,
  invalidMessage,
  leftThread,
} from '../operations/failure.ts'
import type { Work } from '../requests/work.ts'
import { type Conversion, openRun, type Run, receive, type Watch } from './receive.ts'
import type { ThreadData, ToThread } from './thread-messages.ts'

/** Room for one conversion at a time. */
export interface Slot {
  run: (work: Work, watch: Watch) => Promise<Conversion>
  stop: () => Promise<void>
}

export interface SlotOptions {
  data: ThreadData
  /** Heap of a conversion, in megabytes. */
  heapMb: number
  /** What a conversion that is stopped has for putting its files away, in milliseconds. */
  graceMs: number
  log: Logger
}

interface Thread {
  worker: Worker
  isAlive: boolean
  /** Number of the last run. */
  runs: number
  /** The run whose messages count. */
  run?: Run | undefined
}

/**
 * Keeps one thread warm. A thread that was stopped, failed or sent an invalid message is never used again: a new one replaces it.
 */
export function openSlot({ data, heapMb, graceMs, log }: SlotOptions): Slot {
  const open = () => openThread(data, heapMb, log)
  let thread = open()
  let isStopped = false

  return {
    run: async (work, watch) => {
      if (!thread.isAlive) thread = open()
      const conversion = await runIn(thread, work, watch, graceMs)
      if (watch.signal.aborted || isDefect(conversion)) await thread.worker.terminate()
      if (!thread.isAlive && !isStopped) thread = open()
      return conversion
    },
    stop: async () => {
      isStopped = true
      await thread.worker.terminate()
    },
  }
}

const isDefect = (conversion: Conversion) =>
  conversion.type === 'failed' && conversion.failure.kind === 'defect'

/** The listeners never throw, for any message or error of the thread: an exception here would end the process with all its conversions. */
function openThread(data: ThreadData, heapMb: number, log: Logger): Thread {
  const resourceLimits = { maxOldGenerationSizeMb: heapMb }
  const worker = startThread('../convert', import.meta.url, { data, resourceLimits })
  const thread: Thread = { worker, isAlive: true, runs: 0 }
  let hasIgnored = false
  const ignore = (sent: unknown) => {
    if (!hasIgnored)
      log.warn({ sent: detailOf(sent) }, 'a message after the end of its run ignored')
    hasIgnored = true
  }
  const end = (failure: DetailedFailure) => thread.run?.end({ type: 'failed', failure })
  const leave = (failure: DetailedFailure) => {
    thread.isAlive = false
    end(failure)
  }
  worker.on('message', (sent: unknown) => receive(sent, thread.run, ignore))
  worker.on('messageerror', (thrown) => end(invalidMessage(`it cannot be read: ${thrown.message}`)))
  worker.on('error', (thrown) => leave(brokenThread(thrown)))
  worker.on('exit', (code) => leave(leftThread(code)))
  return thread
}

/** Sends the work and waits for the result of the thread, or for its exit. */
async function runIn(
  thread: Thread,
  work: Work,
  watch: Watch,
  graceMs: number,
): Promise<Conversion> {
  const { worker } = thread
  const number = ++thread.runs
  const send = (message: ToThread) => worker.postMessage(message)
  const run = openRun(number, watch, send)
  const { signal } = watch
  let kill: NodeJS.Timeout | undefined
  const stop = () => {
    send({ type: 'abort', run: number })
    kill = setTimeout(() => worker.terminate(), graceMs)
  }
  thread.run = run
  try {
    send({ type: 'run', run: number, work })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    return await run.ended
  } finally {
    thread.run = undefined
    clearTimeout(kill)
    signal.removeEventListener('abort', stop)
  }
}
