import { z } from 'zod'
import { defineEvent } from './define.ts'

export const annotationActions = [
  'create',
  'update',
  'delete',
  'replace',
  'import',
  'restore',
] as const

const counts = z
  .object({ tags: z.int(), shapes: z.int(), tracks: z.int() })
  .partial()
  .meta({ id: 'AnnotationCounts' })

/** Committed write of annotations: numbers of objects created, changed or removed. */
export const annotationsChange = z
  .object({
    task_id: z.int(),
    /** Project of the task; absent if it has none. */
    project_id: z.int().optional(),
    action: z.enum(annotationActions),
    /** Whether jobs keep their state instead of starting. */
    keeps_state: z.boolean().optional(),
    jobs: z.array(
      z
        .object({
          job_id: z.int(),
          revision: z.int(),
          tags: z.int(),
          shapes: z.int(),
          tracks: z.int(),
          /** Numbers by operation, if the action does not imply it: a replacement deletes and creates. */
          by_action: z
            .object({ create: counts, update: counts, delete: counts })
            .partial()
            .meta({ id: 'AnnotationCountsByAction' })
            .optional(),
          /** Whether the job contains any object after the write. */
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
