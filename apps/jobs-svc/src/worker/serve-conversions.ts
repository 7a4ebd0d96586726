import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { openDownloads } from '@reticle/kit/outgoing/download'
import { readNets } from '@reticle/kit/outgoing/guard'
import { withBuckets } from '../buckets/with-buckets.ts'
import { detailOf, failureOf, invalidMessage } from '../operations/failure.ts'
import { LeaseLost, type OperationDeps, type OperationServices } from '../operations/operation.ts'
import { runOperation } from '../operations/run.ts'
import { pdfiumReader } from '../pdf/pdfium.ts'
import { pdfLimits } from '../pdf/reader.ts'
import { surroundingsHere } from '../programs/surroundings.ts'
import type { Outcome, Work } from '../requests/work.ts'
import { withShare } from '../share/files.ts'
import { findDecoder } from '../video/find.ts'
import { openVideos } from '../videos/library.ts'
import { withVideos } from '../videos/with-videos.ts'
import { progressGate } from './progress-gate.ts'
import {
  type Answer,
  type Asked,
  type FromThread,
  firstIssue,
  runOf,
  type ThreadData,
  toThread,
  type Wiring,
} from './thread-messages.ts'
import { makeTmpDir, removeTmpDir } from './tmp-dirs.ts'
import { watchedBlobs } from './watched-blobs.ts'

/** What the wiring module of an app opens inside of a conversion thread. */
export interface Wired {
  services: OperationServices
  blobs: BlobStore
}

/** The running request of this thread. */
interface Running {
  run: number
  abort: AbortController
  /** Sends a question to the main thread, which alone writes the row of the request. Throws when the lease is lost. */
  ask: (asked: Asked) => Promise<Exclude<Answer, false>>
  /** Takes the answer to a question of this run. */
  answer: (question: number, answer: Answer) => void
}

/** Runs the requests that are sent to `port`, one at a time, and sends what became of them. */
export async function serveConversions(port: MessagePort, data: ThreadData): Promise<void> {
  const wired = await wire(data.wiring)
  const send = (message: FromThread) => port.postMessage(message)
  let running: Running | undefined
  let found: ReturnType<typeof findDecoder> | undefined
  const findOnce = () => {
    found ??= findDecoder({ ffmpegPath: data.ffmpegPath })
    return found
  }

  port.on('message', (sent: unknown) => {
    const { data: message, error } = toThread.safeParse(sent)
    const run = runOf(sent)
    if (error && run !== undefined)
      send({ type: 'failed', run, failure: invalidMessage(firstIssue(error)) })
    if (message?.type === 'run') {
      running = openRun(message.run, send)
      void convert(message.work, running, { wired, data, send, findDecoder: findOnce })
    }
    // A message of an earlier run is late.
    if (message?.run !== running?.run) return
    if (message?.type === 'abort') running?.abort.abort(new LeaseLost('The request was taken away'))
    if (message?.type === 'answer') running?.answer(message.question, message.answer)
  })
}

function openRun(run: number, send: Thread['send']): Running {
  const abort = new AbortController()
  const waiting = new Map<number, (answer: Answer) => void>()
  let questions = 0
  return {
    run,
    abort,
    ask: async (asked) => {
      const question = ++questions
      const answer = await new Promise<Answer>((resolve) => {
        waiting.set(question, resolve)
        send({ type: 'question', run, question, asked })
      })
      if (answer === false) throw new LeaseLost('The request was taken away')
      abort.signal.throwIfAborted()
      return answer
    },
    answer: (question, answer) => {
      waiting.get(question)?.(answer)
      waiting.delete(question)
    },
  }
}

async function wire({ module, options }: Wiring): Promise<Wired> {
  const loaded: { wire: (options: unknown) => Promise<Wired> } = await import(module)
  return loaded.wire(options)
}

interface Thread {
  wired: Wired
  data: ThreadData
  send: (message: FromThread) => void
  /** Found when a video is met for the first time. */
  findDecoder: () => ReturnType<typeof findDecoder>
}

async function convert(work: Work, running: Running, thread: Thread): Promise<void> {
  const { data, send } = thread
  const { run } = running
  try {
    const tmpDir = await makeTmpDir(data.tmpDir, work)
    send({ type: 'done', run, outcome: await runIn(tmpDir, work, running, thread) })
  } catch (thrown) {
    const failure = { ...failureOf(thrown), detail: detailOf(thrown) }
    send({ type: 'failed', run, failure })
  } finally {
    // The main thread removes it as well; a rejection would end this thread under the next request.
    await removeTmpDir(data.tmpDir, work).catch(() => undefined)
  }
}

async function runIn(
  tmpDir: string,
  work: Work,
  { run, abort, ask }: Running,
  { wired, data, send, findDecoder }: Thread,
): Promise<Outcome> {
  const { progress, moved } = progressGate((share, stage, amounts = {}) =>
    send({ type: 'progress', run, share, stage, amounts }),
  )
  const stored = withBuckets(wired.blobs, wired.services.storages)
  const blobs = withShare(watchedBlobs(stored, moved), data.shareDir)
  const folder = join(tmpDir, 'videos')
  const videos = openVideos({ blobs, findDecoder, folder, mostBytes: data.videoCacheBytes })
  try {
    return await runOperation(work, {
      services: wired.services,
      blobs: withVideos(blobs, videos),
      videos,
      pdfs: pdfiumReader({ limits: pdfLimits, ...(await surroundingsHere()) }),
      signal: abort.signal,
      progress,
      ...questionsOf(ask),
      checkpoints: data.checkpoints,
      tmpDir,
      limits: data.limits,
      shareDir: data.shareDir,
      openDownloads: () =>
        openDownloads({ ...data.remote, nets: readNets(data.remote.nets), allowHttp: true }),
    })
  } finally {
    await videos.close()
  }
}

type Questions = 'enterFinal' | 'keepOnce' | 'keepForTask' | 'keepCheckpoint'

const questionsOf = (ask: Running['ask']): Pick<OperationDeps, Questions> => ({
  enterFinal: async () => {
    await ask({ about: 'final' })
  },
  keepOnce: async (files) => {
    const keys = await ask({ about: 'keep', files })
    return keys instanceof Map ? keys : new Map()
  },
  keepForTask: async (task_id) => {
    await ask({ about: 'share', task_id })
  },
  keepCheckpoint: async (checkpoint) => {
    await ask({ about: 'checkpoint', checkpoint })
  },
})
