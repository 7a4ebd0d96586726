import { z } from 'zod'
import { integer, timestamp } from './common.ts'
import { message } from './issues.ts'
import { listFields, listOf } from './lists.ts'
import { basicUser } from './users.ts'

/** Comments on issues. See docs/spec/workspace.md#comments. */

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

/** Other keys, such as the write-once `issue`, are ignored. */
export const commentPatch = z.object({ message }).partial().meta({ id: 'CommentPatch' })

export const commentFields = listFields({
  equal: {
    id: 'integer',
    owner: 'text',
    issue_id: 'integer',
    job_id: 'integer',
    frame_id: 'integer',
  },
  more: { created_date: 'date', updated_date: 'date' },
  search: ['owner'],
  order: '-id',
})
export const commentList = listOf(commentFields)

export type Comment = z.infer<typeof comment>
