import { z } from 'zod'
import { flag, integer, link, text, timestamp } from './common.ts'
import { listFields, listOf } from './lists.ts'
import { basicUser } from './users.ts'

/** Issues of a review, each at a position in a frame. See docs/spec/workspace.md#issues. */

/** Largest number of coordinates: events contain a position twice and are limited to a megabyte. */
const mostNumbers = 10_000

/** Pairs of x and y in pixels: two pairs are the corners of a box, more are those of a polygon. */
const position = z
  .array(z.number())
  .max(mostNumbers, { error: `Ensure this field has no more than ${mostNumbers} elements.` })
  .refine((given) => given.length > 0 && given.length % 2 === 0, {
    error: 'A position is a list of numbers in pairs: x1, y1, x2, y2 and so on.',
  })

export const issue = z
  .object({
    id: z.int(),
    /** Task-relative frame number. */
    frame: z.int(),
    position: z.array(z.number()),
    job: z.int(),
    owner: basicUser.nullable(),
    assignee: basicUser.nullable(),
    created_date: timestamp,
    updated_date: timestamp,
    resolved: z.boolean(),
    comments: z.object({ count: z.int(), url: link }).meta({ id: 'CommentsSummary' }),
  })
  .meta({ id: 'Issue' })

export const longestMessage = 10_000
/** Text of a comment. */
export const message = text(longestMessage, 1)

export const issueCreate = z
  .object({
    job: integer,
    frame: integer,
    position,
    assignee: integer.nullable().optional(),
    resolved: flag.optional(),
    /** Text of the first comment. */
    message,
  })
  .meta({ id: 'IssueCreate' })

/** Other keys, including write-once ones, are ignored. */
export const issuePatch = z
  .object({ position, assignee: integer.nullable(), resolved: flag })
  .partial()
  .meta({ id: 'IssuePatch' })

export const issueFields = listFields({
  equal: {
    id: 'integer',
    owner: 'text',
    assignee: 'text',
    job_id: 'integer',
    task_id: 'integer',
    resolved: 'flag',
    frame_id: 'integer',
  },
  more: { created_date: 'date', updated_date: 'date' },
  search: ['owner', 'assignee'],
  order: '-id',
})
export const issueList = listOf(issueFields)

export type Issue = z.infer<typeof issue>
export type IssueCreate = z.infer<typeof issueCreate>
export type IssuePatch = z.infer<typeof issuePatch>
