import type { AnnotationStatistics, CallOptions, RqId, UploadOptions } from '@reticle/sdk'
import { api } from '../api/client.ts'

/** What files go in and out of. */
export type Kind = 'project' | 'task' | 'job'

type Call<I, A> = (input: { id: number } & I, options?: CallOptions) => Promise<A>
type Send<I> = (input: I, file: File, options?: UploadOptions) => Promise<RqId>

interface ExportInput {
  format: string
  /** Of the file; the service finds one where there is none. */
  filename?: string
  save_images: boolean
}

interface ImportInput {
  id: number
  format: string
  /** Nothing is written, but all is told. */
  dry_run: boolean
  import_mode?: string
  conv_mask_to_poly?: boolean
}

interface Calls {
  get: Call<object, { dimension: '2d' | '3d' | null }>
  statistics: Call<object, AnnotationStatistics>
  export: Call<ExportInput, RqId>
  import: Send<ImportInput>
}

/** The calls of transfers by what they are about. */
export const calls: Record<Kind, Calls> = {
  project: {
    get: api.getProject,
    statistics: api.getProjectAnnotationStatistics,
    export: api.exportProjectDataset,
    import: api.importProjectDataset.send,
  },
  task: {
    get: api.getTask,
    statistics: api.getTaskAnnotationStatistics,
    export: api.exportTaskDataset,
    import: api.importTaskAnnotations.send,
  },
  job: {
    get: api.getJob,
    statistics: api.getJobAnnotationStatistics,
    export: api.exportJobDataset,
    import: api.importJobAnnotations.send,
  },
}

interface Backups {
  make: Call<{ lightweight: boolean }, RqId>
  restore: Send<object>
}

/** Those of backups. */
export const backups: Record<'project' | 'task', Backups> = {
  project: { make: api.exportProjectBackup, restore: api.importProjectBackup.send },
  task: { make: api.exportTaskBackup, restore: api.importTaskBackup.send },
}

/** One project, task or job, as dialogs name it. */
export interface Target {
  kind: Kind
  id: number
  name: string
}
