import type { FileSource, Request, TaskCreate } from '@reticle/sdk'
import type { MediaOptions } from './media-options.tsx'

/** Phase of the creation of a task. */
export type UploadPhase =
  | { name: 'idle' | 'creating' | 'cancelled' }
  | { name: 'sending'; done: number; total: number; tookMs: number }
  | { name: 'preparing'; request?: Request }
  | { name: 'failed'; error: Error }

export interface TaskUpload {
  /** Task to create; undefined for an existing task. */
  task?: TaskCreate
  media: MediaOptions
  sources: readonly FileSource[]
}
