import { principal } from '@reticle/contracts/principal'
import { backedUp } from '@reticle/contracts/rest/backups'
import { eventFilter } from '@reticle/contracts/rest/events'
import { exported, importModes, report, uploadedFile } from '@reticle/contracts/rest/requests'
import { sortingMethods } from '@reticle/contracts/rest/sources'
import { validationParams } from '@reticle/contracts/rest/validation'
import { z } from 'zod'
import { checkpoint } from '../checkpoints/checkpoint.ts'
import type { RequestRow } from '../db/schema.ts'

/**
 * What is to be done, the part of a request's row that a conversion needs, read once, at the door of the worker; and what
 * came of it.
 */

const targets = ['task', 'job'] as const

/** Where the file of an export goes: what the download is called, or its key in a cloud storage. */
const destination = {
  filename: z.string(),
  /** Absent in requests of programs that did not know it. */
  cloud_storage_id: z.int().nullable().default(null),
}

const exportParams = z.object({
  /** Absent in requests of programs that did not know it. */
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
  /** Absent: as the format does by itself. */
  conv_mask_to_poly: z.boolean().optional(),
  if_match: z.string().nullable(),
  /** Absent in requests of programs that did not know it. */
  dry_run: z.boolean().default(false),
  file: uploadedFile,
  /** The storage that has the file, its name being the key there; null: it was uploaded. */
  cloud_storage_id: z.int().nullable().default(null),
})
const datasetParams = importParams.omit({ import_mode: true, if_match: true }).extend({
  /** Tasks of the default subset are in a subset of this name. */
  names_default_subset: z.boolean().optional(),
})
const createParams = z.object({
  files: z.array(uploadedFile),
  image_quality: z.int(),
  sorting_method: z.enum(sortingMethods),
  /** Frames per chunk; null is chosen by the size of the first frame. */
  chunk_size: z.int().nullable(),
  /** Absent in requests of programs that did not know it. */
  validation_params: validationParams.nullable().default(null),
  job_file_mapping: z
    .array(z.object({ files: z.array(z.string()) }))
    .nullable()
    .default(null),
  job_count: z.int().nullable().default(null),
  upload_file_order: z.array(z.string()).default([]),
  start_frame: z.int().default(0),
  stop_frame: z.int().nullable().default(null),
  /** `step=N`, or nothing. */
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
  /** Whoever asked: the conversion acts with the same rights. */
  principal,
  /** The trace that the request was posted in. */
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
/** The file of an export that another request has made: it has only to go where this one wants it. */
const made = {
  result_key: z.string().nullable().default(null),
  result_size: z.number().nullable().default(null),
  report: report.nullable().default(null),
}

/** How far the last attempt to write an archive came. */
const written = { checkpoint: checkpoint.nullable().default(null) }

const restoring = z.object({
  ...claimed,
  subresource: z.literal('backup'),
  action: z.literal('import'),
  target: z.enum(backedUp),
  params: importParams.pick({ file: true, cloud_storage_id: true, dry_run: true }),
  /** Below this key lies what was uploaded. */
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
      ...{ ...claimed, ...made },
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
    /** Below this key lies what was uploaded for it. */
    input_key: z.string().nullable().default(null),
  }),
])

export const work = z.union([backup, restoring, others])

/** Bytes of a stored object. */
const size = z.int().nonnegative()

/** What an operation made. */
export const outcome = z.object({
  report: report.nullable(),
  /** The file of an export: its key in the blob store and its bytes. */
  result: z.object({ key: z.string(), size }).nullable(),
  result_id: z.int32().nullable(),
  /** The first chunk of media: where it is, and what it is known by. */
  chunk: z
    .object({
      key: z.string(),
      name: z.string(),
      data_revision: z.int(),
      size,
      checksum: z.string(),
    })
    .optional(),
  /** Keys of uploaded files that were stored before: they are read there. */
  spare: z.array(z.string()).optional(),
})

export type Outcome = z.infer<typeof outcome>
export type Work = z.infer<typeof work>
export type BackupWork = Extract<Work, { subresource: 'backup'; action: 'export' }>
export type ExportWork = Extract<z.infer<typeof others>, { action: 'export'; target_id: number }>
export type ExportEventsWork = Extract<Work, { target: 'events' }>
type AnyImportWork = Extract<z.infer<typeof others>, { action: 'import' }>
export type ImportWork = Extract<AnyImportWork, { task_id: number }>
export type ImportDatasetWork = Extract<AnyImportWork, { target: 'project' }>
export type RestoreWork = Extract<Work, { subresource: 'backup'; action: 'import' }>
export type CreateWork = Extract<Work, { action: 'create' }>

export type Action = RequestRow['action']
export type Target = RequestRow['target']
export type Subresource = NonNullable<RequestRow['subresource']>

/** @throws ZodError when the row was written by a program that does not know this one */
export function readWork(row: RequestRow): Work {
  return work.parse(row)
}
