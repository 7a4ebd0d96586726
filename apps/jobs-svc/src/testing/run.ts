import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { archiveLimits } from '@reticle/formats/archive/zip-reader'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { openDownloads } from '@reticle/kit/outgoing/download'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { callAs } from '@reticle/kit/testing/call'
import { afterAll } from 'vitest'
import { pdfiumReader } from '../media/pdf/pdfium.ts'
import { pdfLimits } from '../media/pdf/reader.ts'
import type { OperationDeps, OperationServices } from '../operations/operation.ts'
import { unsupportedVideo } from '../video/cache/library.ts'
import type {
  BackupWork,
  CreateWork,
  ExportWork,
  ImportDatasetWork,
  ImportWork,
  RestoreWork,
} from '../work/request-work.ts'

/** Creates a folder with a blob store, removed at the end of the test file. */
export async function testStore(): Promise<{ root: string; blobs: BlobStore }> {
  const root = await mkdtemp(join(tmpdir(), 'reticle-jobs-test-'))
  afterAll(() => rm(root, { recursive: true }))
  return { root, blobs: await diskBlobs(join(root, 'blobs')) }
}

export interface TestRun extends OperationDeps {
  /** Reported stages in order, and `final` when the final transaction was entered. */
  stages: string[]
}

export async function runOf(
  { root, blobs }: Awaited<ReturnType<typeof testStore>>,
  services: OperationServices,
  given: Partial<OperationDeps> = {},
): Promise<TestRun> {
  const stages: string[] = []
  return {
    services,
    blobs,
    signal: new AbortController().signal,
    progress: (_, stage) => {
      if (stages.at(-1) !== stage) stages.push(stage)
    },
    enterFinal: async () => {
      stages.push('final')
    },
    registerContents: async () => new Map(),
    shareWithTask: async () => undefined,
    saveCheckpoint: async () => undefined,
    checkpoints: { afterMs: 5 * 60_000, everyMs: 15_000 },
    tmpDir: await mkdtemp(join(root, 'tmp-')),
    limits: archiveLimits,
    videos: { prepare: (video) => Promise.reject(unsupportedVideo(video)) },
    pdfs: testPdfs,
    openDownloads: () => openDownloads({ nets: [], allowHttp: true, maxBytes: 1024 * 1024 }),
    stages,
    ...given,
  }
}

/** Built program, which starts faster than from source. */
const built = fileURLToPath(new URL('../../dist/media/pdf/pdfium-program.js', import.meta.url))
export const pdfSurroundings = {
  limits: pdfLimits,
  limiter: undefined,
  env: {},
  entry: [built],
}
const testPdfs = pdfiumReader(pdfSurroundings)

const claimed = () => ({
  request_uuid: randomUUID(),
  rq_id: 'a request',
  lease_token: 1,
  target: 'task' as const,
  target_id: 1,
  task_id: 1,
  created_date: new Date('2026-03-01T10:00:00.000Z'),
  principal: callAs({ user_id: 1 }).principal ?? raise(),
  traceparent: null,
})

function raise(): never {
  throw new Error('the test caller has no principal')
}

export const createWork = (params: Partial<CreateWork['params']>): CreateWork => ({
  ...claimed(),
  input_key: `requests/uploads/${randomUUID()}/`,
  action: 'create',
  params: {
    files: [],
    image_quality: 70,
    sorting_method: 'lexicographical',
    chunk_size: null,
    validation_params: null,
    job_file_mapping: null,
    job_count: null,
    upload_file_order: [],
    start_frame: 0,
    stop_frame: null,
    frame_filter: '',
    use_zip_chunks: false,
    server_files: [],
    server_files_exclude: [],
    remote_files: [],
    cloud_storage_id: null,
    filename_pattern: null,
    copy_data: false,
    ...params,
  },
})

export const importWork = (
  params: Partial<ImportWork['params']>,
  given: Partial<ImportWork> = {},
): ImportWork => ({
  ...claimed(),
  action: 'import',
  params: {
    format: 'COCO 1.0',
    import_mode: 'replace',
    conv_mask_to_poly: true,
    if_match: null,
    dry_run: false,
    file: { name: 'a.json', key: 'none', size: 0 },
    cloud_storage_id: null,
    ...params,
  },
  ...given,
})

export const importDatasetWork = (
  params: Partial<ImportDatasetWork['params']> = {},
): ImportDatasetWork => {
  const { task_id: _, ...rest } = claimed()
  return {
    ...rest,
    action: 'import',
    target: 'project',
    target_id: 7,
    input_key: 'requests/uploads/none/',
    params: {
      format: 'COCO 1.0',
      dry_run: false,
      cloud_storage_id: null,
      file: { name: 'a.zip', key: 'none', size: 0 },
      ...params,
    },
  }
}

/** Selection of everything. */
export const whole = { frames: [], label_id: [], only_annotated: false }

export const exportWork = (
  params: Partial<ExportWork['params']> = {},
  given: Partial<ExportWork> = {},
): ExportWork => ({
  ...claimed(),
  result_key: null,
  result_size: null,
  report: null,
  checkpoint: null,
  action: 'export',
  params: {
    only: whole,
    format: 'COCO 1.0',
    save_images: false,
    filename: 'a.zip',
    cloud_storage_id: null,
    ...params,
  },
  ...given,
})

export const backupWork = ({
  lightweight = true,
  ...given
}: Partial<BackupWork> & { lightweight?: boolean } = {}): BackupWork => ({
  ...claimed(),
  action: 'export',
  subresource: 'backup',
  result_key: null,
  result_size: null,
  report: null,
  checkpoint: null,
  params: { lightweight, filename: 'a.zip', cloud_storage_id: null },
  ...given,
})

export const restoreWork = (
  file: RestoreWork['params']['file'],
  given: Partial<RestoreWork> = {},
): RestoreWork => ({
  ...claimed(),
  action: 'import',
  subresource: 'backup',
  input_key: 'requests/uploads/none/',
  params: { file, cloud_storage_id: null, dry_run: false },
  ...given,
})

/** Puts bytes into the store like an upload. */
export async function uploadFile(blobs: BlobStore, name: string, content: string | Uint8Array) {
  const key = `requests/uploads/${randomUUID()}`
  const { size } = await blobs.put(key, bytesOf(content))
  return { name, key, size }
}
