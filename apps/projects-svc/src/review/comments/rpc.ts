import type { issues } from '@reticle/contracts/api/issues'
import { commentCreated, commentDeleted, commentUpdated } from '@reticle/contracts/events/issues'
import type { Comment } from '@reticle/contracts/rest/comments'
import { invalid, notFound, type Service, signedIn } from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Kysely, Transaction } from 'kysely'
import { allowPatch } from '../../access/patch-rights.ts'
import { fieldsBefore } from '../../bodies/changes.ts'
import { noSuchObject } from '../../bodies/field-error.ts'
import type { ProjectsDb } from '../../db/schema.ts'
import { parentsOf } from '../issues/messages.ts'
import { lockIssue, touchIssue } from '../issues/repo.ts'
import { issueStanding } from '../issues/standing.ts'
import { listComments } from './list.ts'
import { commentRules } from './policy.ts'
import { commentRecord, commentRecords } from './records.ts'
import {
  type CommentView,
  deleteComment,
  findComment,
  insertComment,
  updateComment,
} from './repo.ts'
import { commentStanding } from './standing.ts'

type Tx = Transaction<ProjectsDb>
type Handlers = Pick<
  Service<typeof issues>,
  'listComments' | 'createComment' | 'getComment' | 'updateComment' | 'deleteComment'
>

/**
 * Builds the handlers of comments. Each change of a comment moves the date of its issue, because issues are sorted by
 * activity.
 */
export function commentHandlers({ db }: { db: Kysely<ProjectsDb> }): Handlers {
  return {
    async listComments(query, context) {
      const { count, results } = await listComments(db, signedIn(context), query)
      return { count, results: await commentRecords(db, results) }
    },

    async createComment({ body: { issue: issue_id, message } }, context) {
      const principal = signedIn(context)
      return runChange(db, context, async (tx) => {
        const issue = await lockIssue(tx, issue_id)
        if (!issue) throw invalid({ issue: noSuchObject(issue_id) })
        assertPermitted(commentRules, 'create', principal, issueStanding(principal, issue))
        const row = await insertComment(tx, { issue_id, message, owner_id: principal.user_id })
        await touchIssue(tx, issue_id)
        const comment = await commentRecord(tx, row)
        await emit(tx, commentCreated, { comment, ...parentsOf(row) }, context)
        return comment
      })
    },

    async getComment({ id }, context) {
      const principal = signedIn(context)
      const row = await findComment(db, id)
      if (!row) throw notFound()
      assertPermitted(commentRules, 'view', principal, commentStanding(principal, row))
      return commentRecord(db, row)
    },

    async updateComment({ id, body, if_match }, context) {
      const principal = signedIn(context)
      return runChange(db, context, async (tx) => {
        const row = await lockedComment(tx, id)
        const standing = commentStanding(principal, row)
        allowPatch(commentRules, { message: 'update' }, body, principal, standing)
        assertMatches(if_match, row)
        return changeComment(tx, row, body.message ?? row.message, context)
      })
    },

    async deleteComment({ id, if_match }, context) {
      const principal = signedIn(context)
      await runChange(db, context, async (tx) => {
        const row = await lockedComment(tx, id)
        assertPermitted(commentRules, 'delete', principal, commentStanding(principal, row))
        assertMatches(if_match, row)
        const comment = await commentRecord(tx, row)
        await emit(tx, commentDeleted, { comment, ...parentsOf(row) }, context)
        await deleteComment(tx, id)
        await touchIssue(tx, row.issue_id)
      })
    },
  }
}

/** Returns the comment under the lock of its issue. It may have been deleted while the call waited for the lock. */
async function lockedComment(tx: Tx, id: number): Promise<CommentView> {
  const seen = await findComment(tx, id)
  if (seen) await lockIssue(tx, seen.issue_id)
  const row = seen && (await findComment(tx, id))
  if (!row) throw notFound()
  return row
}

/** Changes a comment. A change without effect keeps `updated_date` and emits no event. */
async function changeComment(
  tx: Tx,
  row: CommentView,
  message: string,
  cause: EventCause,
): Promise<Comment> {
  const before = await commentRecord(tx, row)
  if (message === row.message) return before
  const changed = await updateComment(tx, row.id, message)
  await touchIssue(tx, row.issue_id)
  const comment = await commentRecord(tx, changed)
  const before_update = fieldsBefore(before, comment)
  await emit(tx, commentUpdated, { comment, before_update, ...parentsOf(changed) }, cause)
  return comment
}
