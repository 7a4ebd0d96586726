import type { Issue } from '@reticle/contracts/rest/issues'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../../db/schema.ts'
import { peopleOf } from '../../organizations/index.ts'
import { toIssue } from './messages.ts'
import type { IssueView } from './repo.ts'

/** Converts issues to records in the same order, with one query for any number of rows. */
export async function issueRecords(
  db: Kysely<ProjectsDb>,
  rows: readonly IssueView[],
): Promise<Issue[]> {
  const people = await peopleOf(
    db,
    rows.flatMap((row) => [row.owner_id, row.assignee_id]),
  )
  return rows.map((row) => toIssue(row, people))
}

export async function issueRecord(db: Kysely<ProjectsDb>, row: IssueView): Promise<Issue> {
  return toIssue(row, await peopleOf(db, [row.owner_id, row.assignee_id]))
}
