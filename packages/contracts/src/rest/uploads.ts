import { z } from 'zod'
import { idParams, timestamp } from './common.ts'
import { targets } from './facts.ts'

/** Uploads in several requests: `spec/api-annotations.md` 2.4, `spec/api-workspace.md` 4.5. */

/** What files may be sent for. */
export const uploadPurposes = ['data', 'annotations', 'dataset', 'backup'] as const

/** The media type of a piece of a file. */
export const chunkType = 'application/offset+octet-stream'

/** The same for files that belong to no object yet. */
export const newFileParams = z.object({ file_id: z.string().max(255) })

/** `file_id` is judged by the service: what is none is not found. */
export const fileParams = idParams.extend({ file_id: z.string().max(255) })

/** As sent; what is wrong about it is said by the route. */
export const chunkHeaders = z.object({ upload_offset: z.string().max(255).optional() })

/** A file that has not arrived in full. */
export const uploadState = z
  .object({
    filename: z.string(),
    /** Bytes that it will have, and those of them that are stored. */
    length: z.int(),
    offset: z.int(),
    /** When it is given up, if nothing more comes. */
    expires_date: timestamp,
  })
  .meta({ id: 'UploadState' })

/** The id is 0 where there is no object yet. */
const sentFor = { purpose: z.enum(uploadPurposes), target: z.enum(targets), id: z.int() }

/** What an upload is for, with what of an import can be judged before its file is there. */
export const uploadWish = z.object({
  ...sentFor,
  format: z.string().optional(),
  import_mode: z.string().optional(),
  dry_run: z.boolean().optional(),
  location: z.string().optional(),
  if_match: z.string().optional(),
  cloud_storage_id: z.int().optional(),
})

/** Where files of an upload go: below `prefix`. */
export const openedUpload = z
  .object({ upload_id: z.string(), prefix: z.string() })
  .meta({ id: 'OpenedUpload' })

export const newFile = z.object({
  ...sentFor,
  name: z.string(),
  length: z.int(),
  /** What its bytes will be, hexadecimal (`spec/extensions.md` 8). */
  sha256: z.string().optional(),
})
export const createdFile = z
  .object({
    file_id: z.string(),
    expires_date: timestamp,
    /** Bytes that need not be sent: all of them, of a file that is stored already. */
    offset: z.int().optional(),
  })
  .meta({ id: 'CreatedFile' })

export const namedFile = z.object({ ...sentFor, file_id: z.string() })

/** `bytes` are to be stored from `offset` on. */
export const wantedChunk = z.object({ ...namedFile.shape, offset: z.int(), bytes: z.int() })
export const openedChunk = z
  .object({
    filename: z.string(),
    /** Of the file, which may be spread over several objects; and of the one that holds the begin of its next part. */
    key: z.string(),
    tail: z.string().optional(),
    /** Bytes that are stored. */
    offset: z.int(),
    /**
     * Whoever shows it may note what is stored, until somebody else has taken over. Nothing when the bytes that are wanted
     * do not follow those.
     */
    lease: z.string().optional(),
    /** With these bytes the file is whole, and it has to be known what it is. */
    is_checked: z.boolean().optional(),
  })
  .meta({ id: 'OpenedChunk' })

/** Bytes up to `offset` are stored for good. */
export const storedChunk = z.object({
  file_id: z.string(),
  lease: z.string(),
  offset: z.int(),
  /** Nothing more comes in this request. */
  is_over: z.boolean(),
  /** Of all bytes of a file that is whole, hexadecimal. */
  sha256: z.string().optional(),
})
export const notedChunk = z
  .object({
    /** False: somebody else has taken over. */
    is_noted: z.boolean(),
    /** True: these are not the bytes that were announced, and the file is gone. */
    is_refused: z.boolean().optional(),
    /** Bytes that are stored, whoever stored them. */
    offset: z.int(),
    expires_date: timestamp,
  })
  .meta({ id: 'NotedChunk' })

export type UploadPurpose = (typeof uploadPurposes)[number]
export type UploadState = z.infer<typeof uploadState>
export type OpenedChunk = z.infer<typeof openedChunk>
