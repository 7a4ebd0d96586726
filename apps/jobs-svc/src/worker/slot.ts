import type { Worker } from 'node:worker_threads'
import { startThread } from '@reticle/kit/thread'
import type { NewCheckpoint } from '../checkpoints/checkpoint.ts'
import type { HashedFile } from '../contents/repo.ts'
import { type Failure, isOutOfMemory, lostWorker, outOfMemory } from '../operations/failure.ts'
import type { Progress } from '../requests/amounts.ts'
import type { Outcome, Work } from '../requests/work.ts'
import { type FromThread, fromThread, type ThreadData, type ToThread } from './thread-messages.ts'

/** What became of a conversion; `detail` is for the log. */
export type Conversion =
  | { type: 'done'; outcome: Outcome }
  | { type: 'failed'; failure: Failure & { detail: string } }

export interface Watch {
  progress: Progress
  /** False: the lease is lost. */
  enterFinal: () => Promise<boolean>
  /** Undefined: the lease is lost. */
  keepOnce: (files: HashedFile[]) => Promise<Map<string, string> | undefined>
  /** False: the lease is lost. */
  keepForTask: (task_id: number) => Promise<boolean>
  /** False: the lease is lost. */
  keepCheckpoint: (checkpoint: NewCheckpoint | null) => Promise<boolean>
  /** Stops the conversion; at the latest after the grace its thread is gone. */
  signal: AbortSignal
}

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
}

interface Thread {
  worker: Worker
  isAlive: boolean
}

/** Keeps one thread warm. One that was stopped or broke is never used again: a fresh one takes its place. */
export function openSlot({ data, heapMb, graceMs }: SlotOptions): Slot {
  let thread = openThread(data, heapMb)
  let isStopped = false

  return {
    run: async (work, watch) => {
      if (!thread.isAlive) thread = openThread(data, heapMb)
      const used = thread.worker
      const conversion = await converse(used, work, watch, graceMs)
      if (watch.signal.aborted) await used.terminate()
      if (!thread.isAlive && !isStopped) thread = openThread(data, heapMb)
      return conversion
    },
    stop: async () => {
      isStopped = true
      await thread.worker.terminate()
    },
  }
}

function openThread(data: ThreadData, heapMb: number): Thread {
  const resourceLimits = { maxOldGenerationSizeMb: heapMb }
  const worker = startThread('../convert', import.meta.url, { data, resourceLimits })
  const thread = { worker, isAlive: true }
  const gone = () => {
    thread.isAlive = false
  }
  worker.on('error', gone) // without a conversion nobody else would hear of it
  worker.on('exit', gone)
  return thread
}

/** Sends the work and listens until the thread answers, breaks or is gone. */
function converse(worker: Worker, work: Work, watch: Watch, graceMs: number): Promise<Conversion> {
  const tell = (message: ToThread) => worker.postMessage(message)
  const left = new AbortController()
  return new Promise<Conversion>((resolve) => {
    const listen = (event: string, listener: (given: unknown) => void) => {
      worker.on(event, listener)
      left.signal.addEventListener('abort', () => worker.off(event, listener))
    }
    listen('message', (sent) => {
      const message = fromThread.parse(sent)
      if (message.type === 'progress') watch.progress(message.share, message.stage, message.amounts)
      else if (isQuestion(message)) void answer(message, watch).then(tell)
      if (message.type === 'done' || message.type === 'failed') resolve(message)
    })
    listen('error', (thrown) => resolve(broken(thrown)))
    listen('exit', () => resolve(broken(undefined)))
    const stop = () => {
      tell({ type: 'abort' })
      const kill = setTimeout(() => worker.terminate(), graceMs)
      left.signal.addEventListener('abort', () => clearTimeout(kill))
    }
    watch.signal.addEventListener('abort', stop, { once: true, signal: left.signal })
    tell({ type: 'run', work })
    if (watch.signal.aborted) stop()
  }).finally(() => left.abort())
}

type Question = Extract<FromThread, { type: (typeof questions)[number] }>

const questions = ['final', 'keep', 'share', 'checkpoint'] as const
const isQuestion = (message: FromThread): message is Question =>
  questions.some((type) => type === message.type)

async function answer(asked: Question, watch: Watch): Promise<ToThread> {
  switch (asked.type) {
    case 'final':
      return { type: 'final', granted: await watch.enterFinal().catch(() => false) }
    case 'keep': {
      const keys = await watch.keepOnce(asked.files).catch(() => undefined)
      return { type: 'kept', keys: keys ?? null }
    }
    case 'checkpoint': {
      const isHeld = await watch.keepCheckpoint(asked.checkpoint).catch(() => false)
      return { type: 'noted', isHeld }
    }
    case 'share':
      return { type: 'shared', isHeld: await watch.keepForTask(asked.task_id).catch(() => false) }
  }
}

function broken(thrown: unknown): Conversion {
  const detail = thrown instanceof Error ? String(thrown.stack) : lostWorker
  const failure: Failure = isOutOfMemory(thrown)
    ? outOfMemory
    : { kind: 'transient', message: lostWorker }
  return { type: 'failed', failure: { ...failure, detail } }
}
