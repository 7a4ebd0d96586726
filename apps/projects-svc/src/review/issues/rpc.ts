import type { issues } from '@reticle/contracts/api/issues'
import { issueDeleted, issueUpdated } from '@reticle/contracts/events/issues'
import type { Issue, IssuePatch } from '@reticle/contracts/rest/issues'
import type { Principal } from '@reticle/contracts/rest/principal'
import { notFound, type Service, signedIn } from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Kysely, Transaction } from 'kysely'
import { allowPatch } from '../../access/patch-rights.ts'
import { changesTo, fieldsBefore, isEmpty } from '../../bodies/changes.ts'
import type { IssueRow, ProjectsDb } from '../../db/schema.ts'
import { moveJobDate } from '../../jobs/repo.ts'
import { checkPeople } from '../../organizations/index.ts'
import { createIssue } from './create.ts'
import { listIssues } from './list.ts'
import { parentsOf } from './messages.ts'
import { issueRules } from './policy.ts'
import { issueRecord, issueRecords } from './records.ts'
import { deleteIssue, findIssue, type IssueView, lockIssue, updateIssue } from './repo.ts'
import { issueStanding } from './standing.ts'

type Tx = Transaction<ProjectsDb>
type Handlers = Pick<
  Service<typeof issues>,
  'listIssues' | 'createIssue' | 'getIssue' | 'updateIssue' | 'deleteIssue'
>

/** Action behind each key of a PATCH. */
const rights = {
  position: 'update',
  assignee: 'update',
  resolved: 'update',
} as const satisfies Record<keyof IssuePatch, string>

/** Builds the handlers of review issues. */
export function issueHandlers({ db }: { db: Kysely<ProjectsDb> }): Handlers {
  return {
    async listIssues(query, context) {
      const { count, results } = await listIssues(db, signedIn(context), query)
      return { count, results: await issueRecords(db, results) }
    },

    async createIssue({ body }, context) {
      const principal = signedIn(context)
      return runChange(db, context, (tx) => createIssue(tx, principal, body, context))
    },

    async getIssue({ id }, context) {
      const principal = signedIn(context)
      const row = await findIssue(db, id)
      if (!row) throw notFound()
      assertPermitted(issueRules, 'view', principal, issueStanding(principal, row))
      return issueRecord(db, row)
    },

    async updateIssue({ id, body, if_match }, context) {
      const principal = signedIn(context)
      return runChange(db, context, async (tx) => {
        const row = await lockIssue(tx, id)
        if (!row) throw notFound()
        allowPatch(issueRules, rights, body, principal, issueStanding(principal, row))
        const changes = await planChange(tx, principal, row, body)
        assertMatches(if_match, row)
        return changeIssue(tx, row, changes, context)
      })
    },

    async deleteIssue({ id, if_match }, context) {
      const principal = signedIn(context)
      await runChange(db, context, async (tx) => {
        const row = await lockIssue(tx, id)
        if (!row) throw notFound()
        assertPermitted(issueRules, 'delete', principal, issueStanding(principal, row))
        assertMatches(if_match, row)
        const issue = await issueRecord(tx, row)
        await emit(tx, issueDeleted, { issue, ...parentsOf(row) }, context)
        await deleteIssue(tx, id)
        await moveJobDate(tx, row.job_id)
      })
    },
  }
}

async function planChange(
  tx: Tx,
  principal: Principal,
  row: IssueView,
  { position, assignee, resolved }: IssuePatch,
): Promise<Partial<IssueRow>> {
  const isMoved = position !== undefined && String(position) !== String(row.position)
  const wanted = { resolved, assignee_id: assignee, ...(isMoved && { position }) }
  const changes = changesTo<Partial<IssueRow>>(row, wanted)
  await checkPeople(tx, principal, { assignee: changes.assignee_id }, row.organization_id)
  return changes
}

/** Changes a locked issue. A change without effect keeps `updated_date` and emits no event. */
export async function changeIssue(
  tx: Tx,
  row: IssueView,
  changes: Partial<IssueRow>,
  cause: EventCause,
): Promise<Issue> {
  const before = await issueRecord(tx, row)
  if (isEmpty(changes)) return before
  const changed = await updateIssue(tx, row.id, changes)
  const issue = await issueRecord(tx, changed)
  const before_update = fieldsBefore(before, issue)
  await emit(tx, issueUpdated, { issue, before_update, ...parentsOf(changed) }, cause)
  return issue
}
