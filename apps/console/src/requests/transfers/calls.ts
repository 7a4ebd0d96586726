import type { AnnotationStatistics, CallOptions, Format, RqId, UploadOptions } from '@reticle/sdk'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'

/** Kinds of objects with imports and exports. */
type TransferKind = 'project' | 'task' | 'job'

type Call<I, A> = (input: { id: number } & I, options?: CallOptions) => Promise<A>
type Send<I> = (input: I, file: File, options?: UploadOptions) => Promise<RqId>

interface ExportInput {
  format: string
  /** Name of the file; the service chooses one by default. */
  filename?: string
  save_images: boolean
}

interface ImportInput {
  id: number
  format: string
  /** Whether to report the result without writing anything. */
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

/** API calls of imports and exports by kind. */
export const calls: Record<TransferKind, Calls> = {
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

/** API calls of backups. */
export const backups: Record<'project' | 'task', Backups> = {
  project: { make: api.exportProjectBackup, restore: api.importProjectBackup.send },
  task: { make: api.exportTaskBackup, restore: api.importTaskBackup.send },
}

/** Project, task or job that a dialog concerns. */
export interface TransferTarget {
  kind: TransferKind
  id: number
  name: string
}

/** Queries the formats for a target; `undefined` while loading. */
export function useFormats({ kind, id }: TransferTarget) {
  const formats = useAnswer(api.listFormats, {})
  const target = useAnswer(calls[kind].get, { id })
  const dimension = target.data?.dimension ?? '2d'
  const fitting = (all: readonly Format[]) =>
    all.filter((one) => one.enabled && one.dimension === dimension)
  const isKnown = formats.data && !target.isPending
  return {
    error: formats.error,
    exporters: isKnown && fitting(formats.data.exporters),
    importers: isKnown && fitting(formats.data.importers),
  }
}
