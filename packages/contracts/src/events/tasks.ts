import { z } from 'zod'
import { job } from '../rest/jobs.ts'
import { task } from '../rest/tasks.ts'
import { annotationActions } from './annotations.ts'
import { defineEvent } from './define.ts'

const taskKey = (data: { task: { id: number } }) => `task:${data.task.id}`
const jobKey = (data: { job: { task_id: number } }) => `task:${data.job.task_id}`
const ofTask = {
  key: taskKey,
  organization: (data: { task: { organization_id: number | null } }) => data.task.organization_id,
}
const ofJob = {
  key: jobKey,
  organization: (data: { job: { organization: number | null } }) => data.job.organization,
}

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

export const taskCreated = defineEvent('create:task', { ...ofTask, data: z.object({ task }) })
export const taskUpdated = defineEvent('update:task', {
  ...ofTask,
  data: z.object({ task, before_update: task.omit({ labels: true }).partial(), annotations }),
})
/** `job_ids`: its jobs, whose annotations and objects follow by this event. */
export const taskDeleted = defineEvent('delete:task', {
  ...ofTask,
  data: z.object({ task, job_ids: z.array(z.int()) }),
})

export const jobCreated = defineEvent('create:job', { ...ofJob, data: z.object({ job }) })
export const jobUpdated = defineEvent('update:job', {
  ...ofJob,
  data: z.object({ job, before_update: job.partial(), annotations }),
})
export const jobDeleted = defineEvent('delete:job', { ...ofJob, data: z.object({ job }) })

/** An import into a project came to nothing: of its tasks nobody was told, only what is kept for them has to go. */
export const draftDropped = defineEvent('draft.dropped', {
  key: (data) => `draft:${data.draft_id}`,
  data: z.object({ draft_id: z.string(), task_ids: z.array(z.int()) }),
})

/**
 * A task is in another project or workspace from here on (`spec/api-workspace.md` 3.4, 4.4): for services that keep where things
 * are and nothing else of them. What moves with its project is not told of here.
 */
export const taskMoved = defineEvent('task.moved', {
  key: (data) => `task:${data.task_id}`,
  data: z.object({
    task_id: z.int(),
    project_id: z.int().nullable(),
    organization_id: z.int().nullable(),
  }),
})
