import { backedUp } from '@reticle/contracts/rest/backups'
import { eventFilter } from '@reticle/contracts/rest/events'
import { principal } from '@reticle/contracts/rest/principal'
import { exported, importModes, report, uploadedFile } from '@reticle/contracts/rest/requests'
import { sortingMethods } from '@reticle/contracts/rest/sources'
import { validationParams } from '@reticle/contracts/rest/validation'
import type { CallContext } from '@reticle/kit'
import { z } from 'zod'
import type { RequestRow } from '../db/schema.ts'
import { checkpoint } from './checkpoint.ts'

/**
 * Input and outcome of a conversion. The input is the part of a request's row that a conversion needs, parsed once when
 * the worker reads it.
 */

const targets = ['task', 'job'] as const

/** Target of the file of an export: the name of the download, or the key in a cloud storage. */
const destination = {
  filename: z.string(),
  /** Absent in rows written by older versions. */
  cloud_storage_id: z.int().nullable().default(null),
}

const exportParams = z.object({
  /** Absent in rows written by older versions. */
  only: exported.default({ frames: [], label_id: [], only_annotated: false }),
  format: z.string(),
  save_images: z.boolean(),
  ...destination,
})
const eventsParams = z.object({ filter: eventFilter, ...destination })
const backupParams = z.object({ lightweight: z.boolean(), ...destination })
const importParams = z.object({
  format: z.string(),
  import_mode: z.enum(importModes),
  /** Absent: the default of the format applies. */
  conv_mask_to_poly: z.boolean().optional(),
  if_match: z.string().nullable(),
  /** Absent in rows written by older versions. */
  dry_run: z.boolean().default(false),
  file: uploadedFile,
  /** Cloud storage with the file, whose name is the object key; null for an uploaded file. */
  cloud_storage_id: z.int().nullable().default(null),
})
const datasetParams = importParams.omit({ import_mode: true, if_match: true }).extend({
  /** New subset name for the tasks of the default subset. */
  names_default_subset: z.boolean().optional(),
})
const createParams = z.object({
  files: z.array(uploadedFile),
  image_quality: z.int(),
  sorting_method: z.enum(sortingMethods),
  /** Frames per chunk; null: chosen by the size of the first frame. */
  chunk_size: z.int().nullable(),
  /** Absent in rows written by older versions. */
  validation_params: validationParams.nullable().default(null),
  job_file_mapping: z
    .array(z.object({ files: z.array(z.string()) }))
    .nullable()
    .default(null),
  job_count: z.int().nullable().default(null),
  upload_file_order: z.array(z.string()).default([]),
  start_frame: z.int().default(0),
  stop_frame: z.int().nullable().default(null),
  /** `step=N`, or empty. */
  frame_filter: z.string().default(''),
  use_zip_chunks: z.boolean().default(false),
  server_files: z.array(z.string()).default([]),
  server_files_exclude: z.array(z.string()).default([]),
  remote_files: z.array(z.string()).default([]),
  cloud_storage_id: z.int().nullable().default(null),
  filename_pattern: z.string().nullable().default(null),
  copy_data: z.boolean().default(false),
})

const claimed = {
  request_uuid: z.string(),
  rq_id: z.string(),
  lease_token: z.int(),
  created_date: z.date(),
  /** User that posted the request; the conversion acts with the same permissions. */
  principal,
  /** Trace in which the request was posted. */
  traceparent: z.string().nullable(),
}

const ofObject = { ...claimed, target: z.enum(targets), target_id: z.int(), task_id: z.int() }
const ofExported = {
  ...claimed,
  target: z.enum(['project', 'task', 'job']),
  target_id: z.int(),
  /** Null for a project. */
  task_id: z.int().nullable(),
}
const exporting = z.literal('export')
const importing = z.literal('import')
/** File of an export that another request has made; this request only transfers it to its own target. */
const made = {
  result_key: z.string().nullable().default(null),
  result_size: z.number().nullable().default(null),
  report: report.nullable().default(null),
}

/** State of a partly stored archive of an earlier attempt. */
const written = { checkpoint: checkpoint.nullable().default(null) }

const restoring = z.object({
  ...claimed,
  subresource: z.literal('backup'),
  action: z.literal('import'),
  target: z.enum(backedUp),
  params: importParams.pick({ file: true, cloud_storage_id: true, dry_run: true }),
  /** Blob key prefix of the upload. */
  input_key: z.string(),
})
const backup = z.object({
  ...claimed,
  ...made,
  ...written,
  subresource: z.literal('backup'),
  action: exporting,
  target: z.enum(backedUp),
  target_id: z.int(),
  params: backupParams,
})

const others = z.discriminatedUnion('action', [
  z.discriminatedUnion('target', [
    z.object({ ...ofExported, ...made, ...written, action: exporting, params: exportParams }),
    z.object({
      ...claimed,
      ...made,
      target: z.literal('events'),
      action: exporting,
      params: eventsParams,
    }),
  ]),
  z.discriminatedUnion('target', [
    z.object({ ...ofObject, action: importing, params: importParams }),
    z.object({
      ...claimed,
      target: z.literal('project'),
      target_id: z.int(),
      action: importing,
      params: datasetParams,
      input_key: z.string().nullable(),
    }),
  ]),
  z.object({
    ...ofObject,
    action: z.literal('create'),
    params: createParams,
    /** Blob key prefix of the upload. */
    input_key: z.string().nullable().default(null),
  }),
])

export const work = z.union([backup, restoring, others])

/** Size of a stored object in bytes. */
const size = z.int().nonnegative()

/** Outcome of an operation. */
export const outcome = z.object({
  report: report.nullable(),
  /** File of an export: blob key and bytes. */
  result: z.object({ key: z.string(), size }).nullable(),
  result_id: z.int32().nullable(),
  /** First chunk of the media: its blob key and its cache name. */
  chunk: z
    .object({
      key: z.string(),
      name: z.string(),
      data_revision: z.int(),
      size,
      checksum: z.string(),
    })
    .optional(),
  /** Keys of uploads that the storage already holds; they are read from there, so these are deleted. */
  spare: z.array(z.string()).optional(),
})

export type OperationOutcome = z.infer<typeof outcome>
export type RequestWork = z.infer<typeof work>
export type BackupWork = Extract<RequestWork, { subresource: 'backup'; action: 'export' }>
export type ExportWork = Extract<z.infer<typeof others>, { action: 'export'; target_id: number }>
export type ExportEventsWork = Extract<RequestWork, { target: 'events' }>
type AnyImportWork = Extract<z.infer<typeof others>, { action: 'import' }>
export type ImportWork = Extract<AnyImportWork, { task_id: number }>
export type ImportDatasetWork = Extract<AnyImportWork, { target: 'project' }>
export type RestoreWork = Extract<RequestWork, { subresource: 'backup'; action: 'import' }>
export type CreateWork = Extract<RequestWork, { action: 'create' }>

export type Action = RequestRow['action']
export type RequestTarget = RequestRow['target']
export type Subresource = NonNullable<RequestRow['subresource']>

/**
 * Parses the work of a row.
 *
 * @throws ZodError when the row was written by an incompatible version
 */
export function readWork(row: RequestRow): RequestWork {
  return work.parse(row)
}

/** Longest time in milliseconds that a request may run. */
export const hardLimitMs = 4 * 3600 * 1000

/** Creates the context for calls with the permissions of the user that posted the request. */
export function contextOf(work: RequestWork, signal: AbortSignal): CallContext {
  const { principal, request_uuid: request_id, traceparent } = work
  const context = { principal, request_id, deadline: Date.now() + hardLimitMs, signal }
  return traceparent === null ? context : { ...context, traceparent }
}

const named = z.object({ cloud_storage_id: z.int() })

/** Returns whether the parameters of a request send the file of an export to a cloud storage. */
export const writesToCloudStorage = (params: unknown): boolean => named.safeParse(params).success
