import { join } from 'node:path'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { openDownloads } from '@reticle/kit/outgoing/download'
import { readNets } from '@reticle/kit/outgoing/guard'
import { pdfiumReader } from '../media/pdf/pdfium.ts'
import { pdfLimits } from '../media/pdf/reader.ts'
import type { OperationDeps, OperationServices } from '../operations/operation.ts'
import { findProgramEnvironment } from '../programs/environment.ts'
import { withShare } from '../storage/share/files.ts'
import { withBuckets } from '../storage/with-buckets.ts'
import { openVideos } from '../video/cache/library.ts'
import { withVideos } from '../video/cache/with-videos.ts'
import { findDecoder } from '../video/find.ts'
import { LeaseLost } from '../work/errors.ts'
import { brokenConverter, detailOf, failureOf, invalidMessage } from '../work/failure.ts'
import type { OperationOutcome, RequestWork } from '../work/request-work.ts'
import {
  type CallReply,
  type ConverterData,
  type FromConverter,
  firstIssue,
  parseRunNumber,
  toConverter,
  type Wiring,
  type WorkerCall,
} from './converter-messages.ts'
import { progressGate } from './progress-gate.ts'
import { runOperation } from './run-operation.ts'
import { makeTmpDir, removeTmpDir } from './tmp-dirs.ts'

/** Services and stores that the wiring module of an app opens inside a converter. */
export interface ConverterPorts {
  services: OperationServices
  blobs: BlobStore
}

/** The last request of this converter. */
interface ServedRun {
  run: number
  isOver: boolean
  abort: AbortController
  /**
   * Calls the worker, the only process that writes the row of the request. Throws when the lease is lost.
   */
  call: (call: WorkerCall) => Promise<Exclude<CallReply, false>>
  /** Receives the reply to a call of this run. */
  settle: (call_id: number, reply: CallReply) => void
}

/** Part of a `MessagePort`, or of a channel between processes. */
export interface Port {
  postMessage: (message: FromConverter) => void
  on: (event: 'message', listener: (sent: unknown) => void) => unknown
}

export interface Conversions {
  /** Reports the running request as failed by an uncaught exception. Returns false when no request is running. */
  failRun: (thrown: unknown) => boolean
}

/** Runs the requests that are sent to `port`, one at a time, and sends their outcomes. */
export async function serveConversions(port: Port, data: ConverterData): Promise<Conversions> {
  const ports = await loadPorts(data.wiring)
  const send = (message: FromConverter) => port.postMessage(message)
  let running: ServedRun | undefined
  let decoder: ReturnType<typeof findDecoder> | undefined
  const findOnce = () => {
    decoder ??= findDecoder({ ffmpegPath: data.ffmpegPath })
    return decoder
  }

  port.on('message', (sent: unknown) => {
    const { data: message, error } = toConverter.safeParse(sent)
    const run = parseRunNumber(sent)
    if (error && run !== undefined)
      send({ type: 'failed', run, failure: invalidMessage(firstIssue(error)) })
    if (message?.type === 'run') {
      running = openRun(message.run, send)
      void convert(message.work, running, { ports, data, send, findDecoder: findOnce })
    }
    // A message of an earlier run is late.
    if (message?.run !== running?.run) return
    if (message?.type === 'abort') running?.abort.abort(new LeaseLost('The request was taken away'))
    if (message?.type === 'reply') running?.settle(message.call_id, message.reply)
  })
  return {
    failRun: (thrown) => {
      if (!running || running.isOver) return false
      send({ type: 'failed', run: running.run, failure: brokenConverter(thrown) })
      return true
    },
  }
}

function openRun(run: number, send: ConverterContext['send']): ServedRun {
  const abort = new AbortController()
  const waiting = new Map<number, (reply: CallReply) => void>()
  let calls = 0
  return {
    run,
    isOver: false,
    abort,
    call: async (call) => {
      const call_id = ++calls
      const reply = await new Promise<CallReply>((resolve) => {
        waiting.set(call_id, resolve)
        send({ type: 'call', run, call_id, call })
      })
      if (reply === false) throw new LeaseLost('The request was taken away')
      abort.signal.throwIfAborted()
      return reply
    },
    settle: (call_id, reply) => {
      waiting.get(call_id)?.(reply)
      waiting.delete(call_id)
    },
  }
}

async function loadPorts({ module, options }: Wiring): Promise<ConverterPorts> {
  const loaded: { openConverterPorts: (options: unknown) => Promise<ConverterPorts> } =
    await import(module)
  return loaded.openConverterPorts(options)
}

interface ConverterContext {
  ports: ConverterPorts
  data: ConverterData
  send: (message: FromConverter) => void
  /** Finds the decoder when the first video is read. */
  findDecoder: () => ReturnType<typeof findDecoder>
}

async function convert(
  work: RequestWork,
  running: ServedRun,
  converter: ConverterContext,
): Promise<void> {
  const { data, send } = converter
  const { run } = running
  try {
    const tmpDir = await makeTmpDir(data.tmpDir, work)
    send({ type: 'done', run, outcome: await runIn(tmpDir, work, running, converter) })
  } catch (thrown) {
    const failure = { ...failureOf(thrown), detail: detailOf(thrown) }
    send({ type: 'failed', run, failure })
  } finally {
    running.isOver = true
    // The worker removes the folder as well; a rejection here would end this converter during the next request.
    await removeTmpDir(data.tmpDir, work).catch(() => undefined)
  }
}

async function runIn(
  tmpDir: string,
  work: RequestWork,
  { run, abort, call }: ServedRun,
  { ports, data, send, findDecoder }: ConverterContext,
): Promise<OperationOutcome> {
  const { progress, moved } = progressGate((share, stage, amounts = {}) =>
    send({ type: 'progress', run, share, stage, amounts }),
  )
  const stored = withBuckets(ports.blobs, ports.services.storages)
  const blobs = withShare(watchedBlobs(stored, moved), data.shareDir)
  const folder = join(tmpDir, 'videos')
  const videos = openVideos({ blobs, findDecoder, folder, mostBytes: data.videoCacheBytes })
  try {
    return await runOperation(work, {
      services: ports.services,
      blobs: withVideos(blobs, videos),
      videos,
      pdfs: pdfiumReader({ limits: pdfLimits, ...(await findProgramEnvironment()) }),
      signal: abort.signal,
      progress,
      ...callsOf(call),
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

type WorkerCalls = 'enterFinal' | 'registerContents' | 'shareWithTask' | 'saveCheckpoint'

const callsOf = (call: ServedRun['call']): Pick<OperationDeps, WorkerCalls> => ({
  enterFinal: async () => {
    await call({ method: 'enterFinal' })
  },
  registerContents: async (files) => {
    const keys = await call({ method: 'registerContents', files })
    return keys instanceof Map ? keys : new Map()
  },
  shareWithTask: async (task_id) => {
    await call({ method: 'shareWithTask', task_id })
  },
  saveCheckpoint: async (checkpoint) => {
    await call({ method: 'saveCheckpoint', checkpoint })
  },
})

/**
 * Wraps a blob store and calls `moved` for every piece read or written, so that a conversion on a slow store counts as
 * making progress, however long one file takes.
 */
function watchedBlobs(blobs: BlobStore, moved: () => void): BlobStore {
  return {
    ...blobs,
    put: (key, chunks, options) => blobs.put(key, each(chunks, moved), options),
    putInSteps: (key, chunks, { isDue, ...steps }) =>
      blobs.putInSteps(key, each(chunks, moved), {
        ...steps,
        isDue: () => {
          moved()
          return isDue()
        },
      }),
    get: async (key, range) => {
      const blob = await blobs.get(key, range)
      return { ...blob, chunks: each(blob.chunks, moved) }
    },
  }
}

async function* each<T>(pieces: AsyncIterable<T>, moved: () => void): AsyncGenerator<T> {
  for await (const piece of pieces) {
    moved()
    yield piece
  }
}
