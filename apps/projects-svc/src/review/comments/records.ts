import type { Comment } from '@reticle/contracts/rest/comments'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../../db/schema.ts'
import { peopleOf } from '../../organizations/index.ts'
import { toComment } from './messages.ts'
import type { CommentView } from './repo.ts'

/** Converts comments to records in the same order, with one query for any number of rows. */
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
