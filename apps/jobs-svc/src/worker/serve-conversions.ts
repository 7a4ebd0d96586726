import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { openDownloads } from '@reticle/kit/outgoing/download'
import { readNets } from '@reticle/kit/outgoing/guard'
import { withBuckets } from '../buckets/with-buckets.ts'
import type { NewCheckpoint } from '../checkpoints/checkpoint.ts'
import type { HashedFile } from '../contents/repo.ts'
import { failureOf } from '../operations/failure.ts'
import { LeaseLost, type OperationServices } from '../operations/operation.ts'
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
import { type FromThread, type ThreadData, toThread, type Wiring } from './thread-messages.ts'
import { makeTmpDir, removeTmpDir } from './tmp-dirs.ts'
import { watchedBlobs } from './watched-blobs.ts'

/** What the wiring module of an app opens inside of a conversion thread. */
export interface Wired {
  services: OperationServices
  blobs: BlobStore
}

/** The running request of this thread. */
interface Running {
  abort: AbortController
  /** Answers the question whether the final transaction may begin. */
  grant: (granted: boolean) => void
  /** Answers where files are kept; null: nowhere. */
  kept: (keys: Map<string, string> | null) => void
  /** Answers whether files are kept for a task. */
  shared: (isHeld: boolean) => void
  /** Answers whether a checkpoint is kept. */
  noted: (isHeld: boolean) => void
}

/** Runs the requests that are sent to `port`, one at a time, and tells what became of them. */
export async function serveConversions(port: MessagePort, data: ThreadData): Promise<void> {
  const wired = await wire(data.wiring)
  const tell = (message: FromThread) => port.postMessage(message)
  let running: Running | undefined
  let found: ReturnType<typeof findDecoder> | undefined
  const findOnce = () => {
    found ??= findDecoder({ ffmpegPath: data.ffmpegPath })
    return found
  }

  port.on('message', (sent: unknown) => {
    const message = toThread.parse(sent)
    if (message.type === 'abort') running?.abort.abort(new LeaseLost('The request was taken away'))
    if (message.type === 'final') running?.grant(message.granted)
    if (message.type === 'kept') running?.kept(message.keys)
    if (message.type === 'shared') running?.shared(message.isHeld)
    if (message.type === 'noted') running?.noted(message.isHeld)
    if (message.type === 'run') {
      running = { abort: new AbortController(), ...unasked }
      void convert(message.work, running, { wired, data, tell, findDecoder: findOnce })
    }
  })
  tell({ type: 'ready' })
}

const nothing = () => undefined
const unasked = { grant: nothing, kept: nothing, shared: nothing, noted: nothing }

async function wire({ module, options }: Wiring): Promise<Wired> {
  const loaded: { wire: (options: unknown) => Promise<Wired> } = await import(module)
  return loaded.wire(options)
}

interface Thread {
  wired: Wired
  data: ThreadData
  tell: (message: FromThread) => void
  /** Found when a video is met for the first time. */
  findDecoder: () => ReturnType<typeof findDecoder>
}

async function convert(work: Work, running: Running, thread: Thread): Promise<void> {
  const { data, tell } = thread
  try {
    const tmpDir = await makeTmpDir(data.tmpDir, work)
    tell({ type: 'done', outcome: await runIn(tmpDir, work, running, thread) })
  } catch (thrown) {
    const detail = thrown instanceof Error ? String(thrown.stack) : String(thrown)
    tell({ type: 'failed', failure: { ...failureOf(thrown), detail } })
  } finally {
    await removeTmpDir(data.tmpDir, work)
  }
}

async function runIn(
  tmpDir: string,
  work: Work,
  running: Running,
  { wired, data, tell, findDecoder }: Thread,
): Promise<Outcome> {
  const { progress, moved } = progressGate((share, stage, amounts = {}) =>
    tell({ type: 'progress', share, stage, amounts }),
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
      signal: running.abort.signal,
      progress,
      enterFinal: () => mayEnterFinal(running, tell),
      keepOnce: (files) => keepOnce(files, running, tell),
      keepForTask: (task_id) => keepForTask(task_id, running, tell),
      keepCheckpoint: (checkpoint) => keepCheckpoint(checkpoint, running, tell),
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

async function keepOnce(
  files: HashedFile[],
  running: Running,
  tell: Thread['tell'],
): Promise<Map<string, string>> {
  const keys = await new Promise<Map<string, string> | null>((resolve) => {
    running.kept = resolve
    tell({ type: 'keep', files })
  })
  if (!keys) throw new LeaseLost('The request was taken away')
  running.abort.signal.throwIfAborted()
  return keys
}

async function keepForTask(task_id: number, running: Running, tell: Thread['tell']): Promise<void> {
  const isHeld = await new Promise<boolean>((resolve) => {
    running.shared = resolve
    tell({ type: 'share', task_id })
  })
  if (!isHeld) throw new LeaseLost('The request was taken away')
  running.abort.signal.throwIfAborted()
}

async function keepCheckpoint(
  checkpoint: NewCheckpoint | null,
  running: Running,
  tell: Thread['tell'],
): Promise<void> {
  const isHeld = await new Promise<boolean>((resolve) => {
    running.noted = resolve
    tell({ type: 'checkpoint', checkpoint })
  })
  if (!isHeld) throw new LeaseLost('The request was taken away')
  running.abort.signal.throwIfAborted()
}

async function mayEnterFinal(running: Running, tell: Thread['tell']): Promise<void> {
  const granted = await new Promise<boolean>((resolve) => {
    running.grant = resolve
    tell({ type: 'final' })
  })
  if (!granted) throw new LeaseLost('The request was taken away')
  running.abort.signal.throwIfAborted()
}
