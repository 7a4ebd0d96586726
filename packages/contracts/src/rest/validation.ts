import { z } from 'zod'
import { integer, rawText } from './common.ts'
import { parseFormJson } from './splitting.ts'

/** Ground truth: its frames, and those of them that are excluded. */

export const selectionMethods = ['random_uniform', 'random_per_job', 'manual'] as const

const atLeast = (least: number) =>
  integer.refine((given) => given >= least, {
    error: `Ensure this value is greater than or equal to ${least}.`,
  })
const share = z.number().min(0).max(1)

/** Keys of the frame selection. Each method has separate keys, and null counts as absent. */
const selection = <const F extends z.ZodType>(frame: F) => ({
  frame_selection_method: z.enum(selectionMethods),
  /** Number of frames; or `frame_share` of all frames of the task. */
  frame_count: atLeast(1).nullish(),
  frame_share: share.nullish(),
  /** Number of frames of every job; or `frames_per_job_share` of them. */
  frames_per_job_count: atLeast(1).nullish(),
  frames_per_job_share: share.nullish(),
  /** The same seed selects the same frames. */
  random_seed: atLeast(0).nullish(),
  frames: z.array(frame).optional(),
})

/** Selection of frames by their numbers in the task. */
export const frameSelection = selection(integer)
/** Selection of frames by file names, before they have numbers. */
const fileSelection = selection(rawText(1024))

type Selection =
  | z.infer<z.ZodObject<typeof frameSelection>>
  | z.infer<z.ZodObject<typeof fileSelection>>
type Key = Exclude<keyof Selection, 'frame_selection_method'>

/** Required keys of each method; of those in one list exactly one. */
const neededBy: Record<Selection['frame_selection_method'], Key[]> = {
  random_uniform: ['frame_count', 'frame_share'],
  random_per_job: ['frames_per_job_count', 'frames_per_job_share'],
  manual: ['frames'],
}
const keys = [...Object.values(neededBy).flat(), 'random_seed'] as const

/** Checks that a selection has the keys that its method requires, and no others. */
export function checkSelection(asked: Selection, context: z.core.$RefinementCtx): void {
  const method = asked.frame_selection_method
  const needed = neededBy[method]
  const complain = (key: Key, message: string) =>
    context.addIssue({ code: 'custom', path: [key], message })
  const isUsed = (key: Key) =>
    needed.includes(key) || (key === 'random_seed' && method !== 'manual')
  for (const key of keys)
    if (asked[key] != null && !isUsed(key))
      complain(key, `This field is of no use with the frame selection method ${method}.`)
  const [first, second] = needed
  const given = needed.filter((key) => asked[key] != null)
  if (first && second && given.length !== 1)
    complain(first, `Give ${first} or ${second}, one of the two.`)
  else if (first && given.length === 0) complain(first, 'This field is required.')
  const { frames } = asked
  if (frames?.length === 0) complain('frames', 'At least one frame is needed.')
  else if (frames && new Set<unknown>(frames).size < frames.length)
    complain('frames', 'A frame can be listed once only.')
}

/** Ground truth requested before the media is attached; a form contains it as JSON in one field. */
export const validationParams = z.preprocess(
  parseFormJson,
  z
    .object({ mode: z.enum(['gt', 'gt_pool']), ...fileSelection })
    .superRefine((asked, context) => {
      if (asked.mode === 'gt') checkSelection(asked, context)
    })
    .meta({ id: 'ValidationParams' }),
)

/** Both lists are absent without ground truth. */
export const taskValidationLayout = z
  .object({
    mode: z.enum(['gt', 'gt_pool']).nullable(),
    validation_frames: z.array(z.int()).optional(),
    disabled_frames: z.array(z.int()).optional(),
  })
  .meta({ id: 'TaskValidationLayout' })

/** `disabled_frames` replaces the complete list. */
export const validationLayoutPatch = z
  .object({ disabled_frames: z.array(integer) })
  .partial()
  .meta({ id: 'ValidationLayoutPatch' })

/** Hidden frames of a job; empty, because honeypots are not supported. */
export const jobValidationLayout = z.object({}).meta({ id: 'JobValidationLayout' })

export type FrameSelection = z.infer<z.ZodObject<typeof frameSelection>>
export type ValidationParams = z.infer<typeof validationParams>
export type TaskValidationLayout = z.infer<typeof taskValidationLayout>
