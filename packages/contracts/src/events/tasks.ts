import { z } from 'zod'
import { job } from '../rest/jobs.ts'
import { task } from '../rest/tasks.ts'
import { annotationActions } from './annotations.ts'
import { defineEvent } from './define.ts'

const taskKey = (data: { task: { id: number } }) => `task:${data.task.id}`
const jobKey = (data: { job: { task_id: number } }) => `task:${data.job.task_id}`

/** What a change of annotations did: `spec/api-annotations.md` 4.4. */
const annotations = z
  .object({
    action: z.enum(annotationActions),
    tags: z.int(),
    shapes: z.int(),
    tracks: z.int(),
    revision: z.int().optional(),
    ids: z
      .object({ tags: z.array(z.int()), shapes: z.array(z.int()), tracks: z.array(z.int()) })
      .partial()
      .optional(),
  })
  .optional()

export const taskCreated = defineEvent('create:task', { key: taskKey, data: z.object({ task }) })
export const taskUpdated = defineEvent('update:task', {
  key: taskKey,
  data: z.object({ task, before_update: task.omit({ labels: true }).partial(), annotations }),
})
/** `job_ids`: its jobs, whose annotations and objects follow by this event. */
export const taskDeleted = defineEvent('delete:task', {
  key: taskKey,
  data: z.object({ task, job_ids: z.array(z.int()) }),
})

export const jobCreated = defineEvent('create:job', { key: jobKey, data: z.object({ job }) })
export const jobUpdated = defineEvent('update:job', {
  key: jobKey,
  data: z.object({ job, before_update: job.partial(), annotations }),
})
export const jobDeleted = defineEvent('delete:job', { key: jobKey, data: z.object({ job }) })
