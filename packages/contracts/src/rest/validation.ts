import { z } from 'zod'
import { integer, rawText } from './common.ts'
import { parsed } from './splitting.ts'

/** Ground truth: which frames it has, and which of them count (`spec/api-workspace.md` 4.8). */

export const selectionMethods = ['random_uniform', 'random_per_job', 'manual'] as const

const atLeast = (least: number) =>
  integer.refine((given) => given >= least, {
    error: `Ensure this value is greater than or equal to ${least}.`,
  })
const share = z.number().min(0).max(1)

/** How frames are chosen: each method has keys of its own, and null is as good as absent. */
const selection = <const F extends z.ZodType>(frame: F) => ({
  frame_selection_method: z.enum(selectionMethods),
  /** Or `frame_share`: of all frames of the task. */
  frame_count: atLeast(1).nullish(),
  frame_share: share.nullish(),
  /** Or `frames_per_job_share`: of the frames of every job. */
  frames_per_job_count: atLeast(1).nullish(),
  frames_per_job_share: share.nullish(),
  /** The same seed draws the same frames again. */
  random_seed: atLeast(0).nullish(),
  frames: z.array(frame).optional(),
})

/** Frames by their numbers in the task. */
export const frameSelection = selection(integer)
/** Frames by the names of their files, before they have numbers. */
const fileSelection = selection(rawText(1024))

type Selection =
  | z.infer<z.ZodObject<typeof frameSelection>>
  | z.infer<z.ZodObject<typeof fileSelection>>
type Key = Exclude<keyof Selection, 'frame_selection_method'>

/** Of those in one list exactly one is given. */
const neededBy: Record<Selection['frame_selection_method'], Key[]> = {
  random_uniform: ['frame_count', 'frame_share'],
  random_per_job: ['frames_per_job_count', 'frames_per_job_share'],
  manual: ['frames'],
}
const keys = [...Object.values(neededBy).flat(), 'random_seed'] as const

/** Each method has what it needs, once, and nothing that it has no use for. */
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

/** Ground truth that is wished for before the media is there; a form has it as JSON in one field. */
export const validationParams = z.preprocess(
  parsed,
  z
    .object({ mode: z.enum(['gt', 'gt_pool']), ...fileSelection })
    .superRefine((asked, context) => {
      if (asked.mode === 'gt') checkSelection(asked, context)
    })
    .meta({ id: 'ValidationParams' }),
)

/** The two lists are absent without ground truth. */
export const taskValidationLayout = z
  .object({
    mode: z.enum(['gt', 'gt_pool']).nullable(),
    validation_frames: z.array(z.int()).optional(),
    disabled_frames: z.array(z.int()).optional(),
  })
  .meta({ id: 'TaskValidationLayout' })

/** `disabled_frames` replaces the whole list. */
export const validationLayoutPatch = z
  .object({ disabled_frames: z.array(integer) })
  .partial()
  .meta({ id: 'ValidationLayoutPatch' })

/** What a job hides among its frames: nothing, as long as there are no honeypots. */
export const jobValidationLayout = z.object({}).meta({ id: 'JobValidationLayout' })

export type FrameSelection = z.infer<z.ZodObject<typeof frameSelection>>
export type ValidationParams = z.infer<typeof validationParams>
export type TaskValidationLayout = z.infer<typeof taskValidationLayout>
