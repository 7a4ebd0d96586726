import { z } from 'zod'
import { idParams, timestamp } from './common.ts'
import { targets } from './facts.ts'

/** Uploads in several requests. See docs/spec/requests.md#uploads. */

/** Purposes of an upload. */
export const uploadPurposes = ['data', 'annotations', 'dataset', 'backup'] as const

/** Media type of a chunk of a file. */
export const chunkType = 'application/offset+octet-stream'

/** Path parameters of a file that belongs to no object yet. */
export const newFileParams = z.object({ file_id: z.string().max(255) })

/** `file_id` is checked by the service: an invalid one is not found. */
export const fileParams = idParams.extend({ file_id: z.string().max(255) })

/** Unparsed headers of a chunk; the route reports errors. */
export const chunkHeaders = z.object({ upload_offset: z.string().max(255).optional() })

/** File that has not been received completely. */
export const uploadState = z
  .object({
    filename: z.string(),
    /** Final number of bytes, and number of stored bytes. */
    length: z.int(),
    offset: z.int(),
    /** Date when the upload expires without further chunks. */
    expires_date: timestamp,
  })
  .meta({ id: 'UploadState' })

/** The id is 0 before the object exists. */
const sentFor = { purpose: z.enum(uploadPurposes), target: z.enum(targets), id: z.int() }

/** Purpose of an upload, with those parameters of an import that can be checked before its file is received. */
export const uploadPurpose = z.object({
  ...sentFor,
  format: z.string().optional(),
  import_mode: z.string().optional(),
  dry_run: z.boolean().optional(),
  location: z.string().optional(),
  if_match: z.string().optional(),
  cloud_storage_id: z.int().optional(),
})

/** Prefix below which the files of an upload are stored. */
export const openedUpload = z
  .object({ upload_id: z.string(), prefix: z.string() })
  .meta({ id: 'OpenedUpload' })

export const newFile = z.object({
  ...sentFor,
  name: z.string(),
  length: z.int(),
  /** Expected hexadecimal checksum. */
  sha256: z.string().optional(),
})
export const createdFile = z
  .object({
    file_id: z.string(),
    expires_date: timestamp,
    /** Bytes that need not be sent: all bytes of a file that is stored already. */
    offset: z.int().optional(),
  })
  .meta({ id: 'CreatedFile' })

export const namedFile = z.object({ ...sentFor, file_id: z.string() })

/** Request to store `bytes` bytes from `offset` on. */
export const uploadChunkRange = z.object({ ...namedFile.shape, offset: z.int(), bytes: z.int() })
export const openedUploadChunk = z
  .object({
    filename: z.string(),
    /**
     * Key of the file, which may be spread over several objects, and key of the object with the start of the next part.
     */
    key: z.string(),
    tail: z.string().optional(),
    /** Number of stored bytes. */
    offset: z.int(),
    /**
     * Proof that the holder may record stored bytes, until another writer takes over. Absent if the requested bytes do
     * not follow the stored ones.
     */
    lease: z.string().optional(),
    /** With these bytes the file is complete, and its checksum is needed. */
    is_checked: z.boolean().optional(),
  })
  .meta({ id: 'OpenedChunk' })

/** Bytes up to `offset` are stored permanently. */
export const storedChunk = z.object({
  file_id: z.string(),
  lease: z.string(),
  offset: z.int(),
  /** Whether the request ends with these bytes. */
  is_over: z.boolean(),
  /** Hexadecimal checksum of a complete file. */
  sha256: z.string().optional(),
})
export const notedChunk = z
  .object({
    /** False if another writer has taken over. */
    is_noted: z.boolean(),
    /** True if the bytes do not match the expected checksum; the file was then deleted. */
    is_refused: z.boolean().optional(),
    /** Number of stored bytes, by any writer. */
    offset: z.int(),
    expires_date: timestamp,
  })
  .meta({ id: 'NotedChunk' })

export type UploadPurpose = (typeof uploadPurposes)[number]
export type UploadState = z.infer<typeof uploadState>
export type OpenedUploadChunk = z.infer<typeof openedUploadChunk>
