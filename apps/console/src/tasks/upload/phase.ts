import type { FileSource, Request, TaskCreate } from '@reticle/sdk'
import type { MediaOptions } from './media-options.tsx'

/** Where the making of a task is. */
export type Phase =
  | { name: 'idle' | 'creating' | 'cancelled' }
  | { name: 'sending'; done: number; total: number; tookMs: number }
  | { name: 'preparing'; request?: Request }
  | { name: 'failed'; error: Error }

export interface Wish {
  /** What is to be made; nothing where the task is there already. */
  task?: TaskCreate
  media: MediaOptions
  sources: readonly FileSource[]
}
