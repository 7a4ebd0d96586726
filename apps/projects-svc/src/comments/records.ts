import type { Comment } from '@reticle/contracts/rest/comments'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { peopleOf } from '../people.ts'
import { toComment } from './messages.ts'
import type { CommentView } from './repo.ts'

/** Records of comments, in the same order; one query however many there are. */
export async function commentRecords(
  db: Kysely<ProjectsDb>,
  rows: readonly CommentView[],
): Promise<Comment[]> {
  const people = await peopleOf(
    db,
    rows.map((row) => row.owner_id),
  )
  return rows.map((row) => toComment(row, people))
}

export async function commentRecord(db: Kysely<ProjectsDb>, row: CommentView): Promise<Comment> {
  return toComment(row, await peopleOf(db, [row.owner_id]))
}
