import { z } from 'zod'
import { filter, integer, listQuery, timestamp } from './common.ts'
import { message } from './issues.ts'
import { basicUser } from './users.ts'

/** Comments on issues: `spec/api-workspace.md` 5.2. */

export const comment = z
  .object({
    id: z.int(),
    issue: z.int(),
    owner: basicUser.nullable(),
    message: z.string(),
    created_date: timestamp,
    updated_date: timestamp,
  })
  .meta({ id: 'Comment' })

export const commentCreate = z.object({ issue: integer, message }).meta({ id: 'CommentCreate' })

/** Other keys, the write-once `issue` among them, are ignored. */
export const commentPatch = z.object({ message }).partial().meta({ id: 'CommentPatch' })

export const commentList = z.object({
  ...listQuery,
  id: filter(integer),
  owner: filter(z.string()),
  issue_id: filter(integer),
  job_id: filter(integer),
  frame_id: filter(integer),
})

export type Comment = z.infer<typeof comment>
