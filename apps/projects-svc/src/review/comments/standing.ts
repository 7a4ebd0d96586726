import { listRelations, type Standing } from '@reticle/kit/call/policy'
import type { Caller } from '../../access/standing.ts'
import { type AroundIssue, issueStanding } from '../issues/standing.ts'

export interface CommentPeople extends AroundIssue {
  /** Author of the comment. */
  owner_id: number | null
  issue_owner_id: number | null
  issue_assignee_id: number | null
}

/** Returns the relations of a caller to a comment: those to its issue, and "author" for the author. */
export function commentStanding(
  caller: Caller,
  { owner_id, issue_owner_id, issue_assignee_id, ...around }: CommentPeople,
): Standing {
  const people = { ...around, owner_id: issue_owner_id, assignee_id: issue_assignee_id }
  const issue = issueStanding(caller, people)
  const isAuthor = owner_id === caller.user_id
  return { ...issue, relations: [...issue.relations, ...listRelations({ author: isAuthor })] }
}
