import type { annotations } from '@reticle/contracts/api/annotations'
import type { events } from '@reticle/contracts/api/events'
import type { guides } from '@reticle/contracts/api/guides'
import type { jobs } from '@reticle/contracts/api/jobs'
import type { labels } from '@reticle/contracts/api/labels'
import type { media } from '@reticle/contracts/api/media'
import type { projects } from '@reticle/contracts/api/projects'
import type { storages } from '@reticle/contracts/api/storages'
import type { tasks } from '@reticle/contracts/api/tasks'
import type { ArchiveLimits } from '@reticle/formats/archive/zip-reader'
import type { Context, Service } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Downloads } from '@reticle/kit/outgoing/download'
import type { NewCheckpoint } from '../checkpoints/checkpoint.ts'
import type { HashedFile } from '../contents/repo.ts'
import type { PdfReader } from '../pdf/reader.ts'
import type { Progress } from '../requests/amounts.ts'
import type { Work } from '../requests/work.ts'
import type { Videos } from '../videos/videos.ts'

type Drafting = 'openDraft' | 'addDraftTask' | 'publishDraft' | 'dropDraft'
type BackingUp = 'describeBackup' | 'restoreTask'

/** What operations ask of other services. */
export interface OperationServices {
  tasks: Pick<Service<typeof tasks>, 'authorize' | 'listTasks' | 'getTask' | Drafting | BackingUp>
  projects: Pick<Service<typeof projects>, 'getProject'>
  jobs: Pick<Service<typeof jobs>, 'listJobs' | 'getJob'>
  guides: Pick<
    Service<typeof guides>,
    'getAssetFile' | 'createGuide' | 'openAssetUpload' | 'storeAsset' | 'updateGuide'
  >
  labels: Pick<Service<typeof labels>, 'getLabelSet'>
  media: Pick<
    Service<typeof media>,
    'attachMedia' | 'readFrames' | 'getDeletedFrames' | 'getMediaFacts' | 'locateChunk'
  >
  storages: Pick<
    Service<typeof storages>,
    'listSourceFiles' | 'readSourceFile' | 'readStorageFile' | 'writeStorageFile'
  >
  annotations: Pick<Service<typeof annotations>, 'readRows' | 'writeRows'>
  events: Pick<Service<typeof events>, 'readEvents'>
}

/** What surrounds an operation. It knows neither rows nor processes, so that a test can run it directly. */
export interface OperationDeps {
  services: OperationServices
  blobs: BlobStore
  signal: AbortSignal
  progress: Progress
  /**
   * Called once, before the one call that changes what others see: afterwards the request cannot be cancelled.
   *
   * @throws LeaseLost
   */
  enterFinal: () => Promise<void>
  /**
   * Makes files known to the tenant of the request; what it has already is to be read where it is (`contents/`). Answers the
   * keys by those of the files.
   *
   * @throws LeaseLost
   */
  keepOnce: (files: HashedFile[]) => Promise<Map<string, string>>
  /**
   * The media of this task is in files of the request: they stay for as long as there is the task.
   *
   * @throws LeaseLost
   */
  keepForTask: (task_id: number) => Promise<void>
  /**
   * Keeps how far an archive came, for the next attempt; null: what was kept counts no more.
   *
   * @throws LeaseLost
   */
  keepCheckpoint: (checkpoint: NewCheckpoint | null) => Promise<void>
  checkpoints: CheckpointTiming
  /** A folder of this run's own, removed after it. */
  tmpDir: string
  limits: ArchiveLimits
  /** Absent: there is no file share. `blobs` reads from it, too (`share/files.ts`). */
  shareDir?: string | undefined
  /** Of the object store, too: `blobs` gives their frames (`videos/with-videos.ts`). */
  videos: Pick<Videos, 'prepare'>
  pdfs: PdfReader
  /** The way out to addresses that users name; to be closed by whoever opened it. */
  openDownloads: () => Downloads
}

export interface CheckpointTiming {
  /** Milliseconds that an archive is written before the first one. */
  afterMs: number
  /** Milliseconds from one to the next. */
  everyMs: number
}

/** Longest that a request may run (`reliability.md` 6.3). */
export const hardLimitMs = 4 * 3600 * 1000

/** Another worker has the request, or it was cancelled: whatever this one still does counts for nothing. */
export class LeaseLost extends Error {}

/** The data cannot be used: one sentence for the person who sent it. */
export class UnusableInput extends Error {}

/** The operation asks with the rights of the person who wants it done. */
export function contextOf(work: Work, signal: AbortSignal): Context {
  const { principal, request_uuid: request_id, traceparent } = work
  const context = { principal, request_id, deadline: Date.now() + hardLimitMs, signal }
  return traceparent === null ? context : { ...context, traceparent }
}
