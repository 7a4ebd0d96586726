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
import type { Service } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Downloads } from '@reticle/kit/outgoing/download'
import type { PdfReader } from '../media/pdf/reader.ts'
import type { HashedFile } from '../storage/repo-contents.ts'
import type { Videos } from '../video/cache/videos.ts'
import type { ProgressCallback } from '../work/amounts.ts'
import type { NewCheckpoint } from '../work/checkpoint.ts'

type Drafting = 'openDraft' | 'addDraftTask' | 'publishDraft' | 'dropDraft'
type BackingUp = 'describeBackup' | 'restoreTask'

/** Calls of other services that operations make. */
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

/** Dependencies of an operation, without rows or processes, so that a test can run it directly. */
export interface OperationDeps {
  services: OperationServices
  blobs: BlobStore
  signal: AbortSignal
  progress: ProgressCallback
  /**
   * Called once, before the one call with visible effects: afterwards the request cannot be cancelled.
   *
   * @throws LeaseLost when the request was cancelled or is held by another worker
   */
  enterFinal: () => Promise<void>
  /**
   * Registers uploaded files for deduplication within the tenant. Returns, by the keys of duplicates, the keys of the
   * existing files to read instead.
   *
   * @throws LeaseLost
   */
  registerContents: (files: HashedFile[]) => Promise<Map<string, string>>
  /**
   * Keeps the files of the request for as long as this task exists, because they are its media.
   *
   * @throws LeaseLost
   */
  shareWithTask: (task_id: number) => Promise<void>
  /**
   * Stores the state of a partly written archive for the next attempt; null discards the stored state.
   *
   * @throws LeaseLost
   */
  saveCheckpoint: (checkpoint: NewCheckpoint | null) => Promise<void>
  checkpoints: CheckpointTiming
  /** Temporary folder of this run, removed after it. */
  tmpDir: string
  limits: ArchiveLimits
  /** Folder of the file share; absent without one. `blobs` also reads from it (`storage/share/files.ts`). */
  shareDir?: string | undefined
  /** Videos, whose frames `blobs` also returns (`video/cache/with-videos.ts`). */
  videos: Pick<Videos, 'prepare'>
  pdfs: PdfReader
  /** Opens the downloader for user-supplied addresses; the caller closes it. */
  openDownloads: () => Downloads
}

export interface CheckpointTiming {
  /** Milliseconds of writing before the first checkpoint. */
  afterMs: number
  /** Milliseconds between checkpoints. */
  everyMs: number
}
