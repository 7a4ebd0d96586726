import { z } from 'zod'
import { flag, integer, rawText } from './common.ts'
import { parseFormJson } from './splitting.ts'

/**
 * Sources of the media of a task, their order, and the selection of frames. See docs/spec/workspace.md#attaching-media.
 */

export const sortingMethods = ['lexicographical', 'natural', 'predefined', 'random'] as const
export type SortingMethod = (typeof sortingMethods)[number]

/** Largest number of characters of a path or a name. */
const longestName = 1024

/** Treats an empty field of a form as absent. */
const unlessEmpty = <const S extends z.ZodType>(schema: S) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional())

/** Accepts a list; a form contains it as JSON in one field, or as `name[0]`, `name[1]` and so on. */
const list = <const S extends z.ZodType>(item: S) =>
  unlessEmpty(z.preprocess(parseFormJson, z.array(item)))

const path = rawText(longestName).refine(isInside, {
  error: 'Give a relative path: parts between single slashes, none of them empty, . or ..',
})

/** Checks that a relative path stays inside; a folder may end with a slash. */
function isInside(given: string): boolean {
  const parts = given.replace(/\/$/, '').split('/')
  return parts.every((part) => part !== '' && part !== '.' && part !== '..')
}

const atLeast = (least: number) =>
  integer.refine((given) => given >= least, {
    error: `Ensure this value is greater than or equal to ${least}.`,
  })

const step = /^\s*step\s*=\s*0*([1-9]\d{0,8})\s*$/

/** Returns the step between selected frames in a valid `frame_filter`. */
export const stepOf = (frame_filter: string): number => Number(step.exec(frame_filter)?.[1] ?? 1)

export const sourceParameters = {
  sorting_method: z.enum(sortingMethods),
  /** With `predefined`: the order of all uploaded files. */
  upload_file_order: list(rawText(longestName)),
  server_files: list(path),
  server_files_exclude: list(path),
  remote_files: list(rawText(8192)),
  /** If present, `server_files` are keys in this storage. */
  cloud_storage_id: unlessEmpty(integer),
  /** Pattern of keys: `*` any characters, `?` one, `[abc]` one of these, `[!abc]` none of these. */
  filename_pattern: unlessEmpty(rawText(longestName)),
  /** Whether files of the share or of a cloud storage are copied. Chunks are created on demand in any case. */
  copy_data: unlessEmpty(flag),
  /** First and last frame of the source, both included. */
  start_frame: unlessEmpty(atLeast(0)),
  stop_frame: unlessEmpty(atLeast(0)),
  frame_filter: unlessEmpty(
    rawText(64).refine((given) => step.test(given), {
      error: 'Invalid frame filter expression: step=N is one, N being 1 or more.',
    }),
  ),
  /** For a video: whether its chunks are archives of images. */
  use_zip_chunks: unlessEmpty(flag),
  /** Accepted without effect: chunks are always stored in the same way. */
  use_cache: unlessEmpty(flag),
  storage_method: unlessEmpty(z.enum(['file_system', 'cache'])),
}

interface Asked {
  start_frame?: number
  stop_frame?: number
  server_files?: readonly string[]
  server_files_exclude?: readonly string[]
  cloud_storage_id?: number
  filename_pattern?: string
}

/** Reports contradictory parameters as issues of the context, by field. */
export function checkSources(asked: Asked, context: z.core.$RefinementCtx): void {
  const { start_frame = 0, stop_frame, filename_pattern } = asked
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message })
  if (stop_frame !== undefined && stop_frame < start_frame)
    refuse('stop_frame', 'Stop frame must be more or equal start frame')
  if (filename_pattern !== undefined) checkPattern(asked, refuse)
  else if (asked.cloud_storage_id !== undefined && (asked.server_files ?? []).length === 0)
    refuse(
      'cloud_storage_id',
      'Name files of the cloud storage in server_files, or give a filename_pattern.',
    )
}

function checkPattern(
  { cloud_storage_id, server_files = [], server_files_exclude = [] }: Asked,
  refuse: (field: string, message: string) => void,
): void {
  const field = 'filename_pattern'
  if (cloud_storage_id === undefined)
    refuse(field, 'This parameter can only be used with cloud_storage_id.')
  if (server_files_exclude.length > 0)
    refuse(field, 'This parameter cannot be used with server_files_exclude.')
  if (server_files.length > 1 || !server_files.every(isManifest))
    refuse(field, 'Beside it server_files can only name one manifest (*.jsonl).')
}

/** Returns true for a list of frames with one JSON object per line. */
export const isManifest = (name: string): boolean => name.toLowerCase().endsWith('.jsonl')

/** Returns true if the parameters name another source of frames than uploaded files. */
export const namesSources = ({
  server_files = [],
  remote_files = [],
  filename_pattern,
}: {
  server_files?: readonly string[]
  remote_files?: readonly string[]
  filename_pattern?: string
}): boolean => server_files.length > 0 || remote_files.length > 0 || filename_pattern !== undefined
