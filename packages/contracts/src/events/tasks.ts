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
  project: (data: { task: { project_id: number | null } }) => data.task.project_id,
}
const ofJob = {
  key: jobKey,
  organization: (data: { job: { organization: number | null } }) => data.job.organization,
  project: (data: { job: { project_id: number | null } }) => data.job.project_id,
}

/** Summary of a change of annotations. */
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
/** `job_ids` lists its jobs, whose annotations and files are deleted by consumers of this event. */
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

/**
 * A draft of an import into a project was dropped. No events announced
 * its tasks, so only stored data of them must be deleted.
 */
export const draftDropped = defineEvent('draft.dropped', {
  key: (data) => `draft:${data.draft_id}`,
  data: z.object({ draft_id: z.string(), task_ids: z.array(z.int()) }),
})

/**
 * A task moved to another project or workspace. For services that store only the location of objects. Not emitted for
 * tasks that move with their project.
 */
export const taskMoved = defineEvent('task.moved', {
  key: (data) => `task:${data.task_id}`,
  data: z.object({
    task_id: z.int(),
    project_id: z.int().nullable(),
    organization_id: z.int().nullable(),
  }),
})
