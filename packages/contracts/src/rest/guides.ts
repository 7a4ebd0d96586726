import { z } from 'zod'
import { integer, rawText, timestamp } from './common.ts'

/** Guides for annotators, one per project or task. See docs/spec/workspace.md#guides. */

const longestGuide = 1_000_000
/** Stored unchanged; clients must sanitise it for display. */
const markdown = rawText(longestGuide)

export const guide = z
  .object({
    id: z.int(),
    task_id: z.int().nullable(),
    project_id: z.int().nullable(),
    created_date: timestamp,
    updated_date: timestamp,
    markdown: z.string(),
  })
  .meta({ id: 'Guide' })

/** Exactly one of `project_id` and `task_id` is required. */
export const guideCreate = z
  .object({ project_id: integer.nullable(), task_id: integer.nullable(), markdown })
  .partial()
  .meta({ id: 'GuideCreate' })

/** Other keys, including write-once ones, are ignored. */
export const guidePatch = z.object({ markdown }).partial().meta({ id: 'GuidePatch' })

export type Guide = z.infer<typeof guide>
export type GuideCreate = z.infer<typeof guideCreate>
