import { z } from 'zod'
import { integer, rawText } from './common.ts'

/**
 * Splitting of the frames of a task into jobs, sent beside its media. See docs/spec/workspace.md#splitting-into-jobs.
 */

const mostFiles = 1_000_000

/** Names of the files of one job. */
const jobFiles = z.object({ files: z.array(z.string()) }).meta({ id: 'JobFiles' })

/** Files of each job, in the order of jobs and frames; a form contains it as JSON in one field. */
export const jobFileMapping = z.preprocess(
  parseFormJson,
  z
    .array(z.array(rawText(1024)).min(1, { error: 'A job needs at least one file.' }))
    .min(1, { error: 'At least one job is needed.' })
    .superRefine(refuseRepeated)
    .transform((jobs) => jobs.map((files) => ({ files })))
    .pipe(z.array(jobFiles)),
)

/** Number of jobs of equal length; the last one may be shorter. */
export const jobCount = integer.refine((given) => given >= 1, {
  error: 'Ensure this value is greater than or equal to 1.',
})

function refuseRepeated(jobs: readonly string[][], context: z.core.$RefinementCtx): void {
  const seen = new Set<string>()
  for (const name of jobs.flat()) {
    if (seen.has(name)) {
      context.addIssue({ code: 'custom', message: `The file '${name}' is listed twice.` })
      return
    }
    seen.add(name)
  }
  if (seen.size > mostFiles)
    context.addIssue({ code: 'custom', message: `At most ${mostFiles} files can be listed.` })
}

interface Splitting {
  sorting_method?: string
  job_file_mapping?: readonly unknown[]
  job_count?: number
  start_frame?: number
  stop_frame?: number
  frame_filter?: string
  server_files_exclude?: readonly unknown[]
  filename_pattern?: string
}

/** Rejects parameters that conflict with a mapping, which already determines the order of files and the jobs. */
export function checkSplitting(asked: Splitting, context: z.core.$RefinementCtx): void {
  if (!asked.job_file_mapping) return
  const { sorting_method = 'lexicographical', start_frame = 0, server_files_exclude = [] } = asked
  const isAsked = {
    job_count: asked.job_count !== undefined,
    sorting_method: sorting_method !== 'lexicographical',
    start_frame: start_frame > 0,
    stop_frame: asked.stop_frame !== undefined,
    frame_filter: asked.frame_filter !== undefined,
    server_files_exclude: server_files_exclude.length > 0,
    filename_pattern: asked.filename_pattern !== undefined,
  }
  for (const [key, isSo] of Object.entries(isAsked))
    if (isSo)
      context.addIssue({
        code: 'custom',
        path: [key],
        message: `This parameter cannot be used with job_file_mapping.`,
      })
}

/** Parses JSON of a form field; any other text is returned unchanged, and rejected later. */
export function parseFormJson(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}
