import { z } from 'zod'
import { defineEvent } from './define.ts'

export const annotationActions = [
  ...(['create', 'update', 'delete', 'replace', 'import', 'restore'] as const),
] as const

const counts = z
  .object({ tags: z.int(), shapes: z.int(), tracks: z.int() })
  .partial()
  .meta({ id: 'AnnotationCounts' })

/** One per committed write (`spec/api-annotations.md` 1.11): counts of objects created, changed or removed. */
export const annotationsChange = z
  .object({
    task_id: z.int(),
    /** Of the task; absent where it is in none. */
    project_id: z.int().optional(),
    action: z.enum(annotationActions),
    /** Jobs are in the states that they are meant to be in: none of them begins with this. */
    keeps_state: z.boolean().optional(),
    jobs: z.array(
      z
        .object({
          job_id: z.int(),
          revision: z.int(),
          tags: z.int(),
          shapes: z.int(),
          tracks: z.int(),
          /** The same by what was done to them, where the action does not say it: a replacement deletes and creates. */
          by_action: z
            .object({ create: counts, update: counts, delete: counts })
            .partial()
            .meta({ id: 'AnnotationCountsByAction' })
            .optional(),
          /** Whether the job holds any object afterwards. */
          is_annotated: z.boolean(),
          /** Ids of the objects, only up to 100 of them in all. */
          ids: z
            .object({
              tags: z.array(z.int()),
              shapes: z.array(z.int()),
              tracks: z.array(z.int()),
            })
            .optional(),
        })
        .meta({ id: 'JobAnnotationsChange' }),
    ),
  })
  .meta({ id: 'AnnotationsChange' })

export const annotationsChanged = defineEvent('annotations.changed', {
  key: (data) => `task:${data.task_id}`,
  data: annotationsChange,
})

export type AnnotationsChange = z.infer<typeof annotationsChange>
