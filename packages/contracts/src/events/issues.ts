import { z } from 'zod'
import { comment } from '../rest/comments.ts'
import { issue } from '../rest/issues.ts'
import { defineEvent } from './define.ts'

/** Location of the job of an issue: the task orders the events, and webhooks of the project receive them. */
const place = {
  job_id: z.int().nullable().default(null),
  task_id: z.int(),
  project_id: z.int().nullable(),
  organization_id: z.int().nullable().default(null),
}
const located = {
  key: (data: { task_id: number }) => `task:${data.task_id}`,
  organization: (data: { organization_id: number | null }) => data.organization_id,
  project: (data: { project_id: number | null }) => data.project_id,
}

export const issueCreated = defineEvent('create:issue', {
  ...located,
  data: z.object({ issue, ...place }),
})
export const issueUpdated = defineEvent('update:issue', {
  ...located,
  data: z.object({ issue, before_update: issue.partial(), ...place }),
})
/** Its comments are deleted with it, without separate events. */
export const issueDeleted = defineEvent('delete:issue', {
  ...located,
  data: z.object({ issue, ...place }),
})

export const commentCreated = defineEvent('create:comment', {
  ...located,
  data: z.object({ comment, ...place }),
})
export const commentUpdated = defineEvent('update:comment', {
  ...located,
  data: z.object({ comment, before_update: comment.partial(), ...place }),
})
export const commentDeleted = defineEvent('delete:comment', {
  ...located,
  data: z.object({ comment, ...place }),
})
