import type { Comment } from '@reticle/contracts/rest/comments'
import { type People, personOf } from '../../organizations/index.ts'
import type { CommentView } from './repo.ts'

/** Converts a row to a comment record. */
export function toComment(row: CommentView, people: People): Comment {
  return {
    id: row.id,
    issue: row.issue_id,
    owner: personOf(people, row.owner_id),
    message: row.message,
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
  }
}
