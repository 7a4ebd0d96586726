import { commentCreated, issueCreated } from '@reticle/contracts/events/issues'
import type { Issue, IssueCreate } from '@reticle/contracts/rest/issues'
import type { Principal } from '@reticle/contracts/rest/principal'
import { invalid } from '@reticle/kit/call/errors'
import { assertPermitted } from '@reticle/kit/call/policy'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { jobStaffStanding } from '../../access/standing.ts'
import { noSuchObject } from '../../bodies/field-error.ts'
import type { ProjectsDb } from '../../db/schema.ts'
import { hasValidationFrame } from '../../ground-truth/repo.ts'
import { type JobView, lockJob, moveJobDate } from '../../jobs/repo.ts'
import { checkPeople } from '../../organizations/index.ts'
import { commentRecord } from '../comments/records.ts'
import { insertComment } from '../comments/repo.ts'
import { parentsOf } from './messages.ts'
import { issueRules } from './policy.ts'
import { issueRecord } from './records.ts'
import { findIssue, insertIssue } from './repo.ts'

/**
 * Creates an issue with its first comment, and emits `create:issue` and `create:comment`. The date of its job moves,
 * because the record of the job counts issues.
 */
export async function createIssue(
  tx: Transaction<ProjectsDb>,
  principal: Principal,
  { job: job_id, frame, position, assignee, resolved, message }: IssueCreate,
  cause: EventCause,
): Promise<Issue> {
  const job = await lockJob(tx, job_id)
  if (!job) throw invalid({ job: noSuchObject(job_id) })
  assertPermitted(issueRules, 'create', principal, jobStaffStanding(principal, job))
  await assertFrame(tx, job, frame)
  await checkPeople(tx, principal, { assignee }, job.organization_id)
  const owner_id = principal.user_id
  const values = { job_id, frame, position, resolved, assignee_id: assignee, owner_id }
  const id = await insertIssue(tx, values)
  const first = await insertComment(tx, { issue_id: id, owner_id, message })
  await moveJobDate(tx, job_id)
  const row = await findIssue(tx, id)
  if (!row) throw new Error(`issue ${id} was not inserted`)
  const issue = await issueRecord(tx, row)
  const comment = await commentRecord(tx, first)
  const place = parentsOf({ ...job, job_id })
  await emit(tx, issueCreated, { issue, ...place }, cause)
  await emit(tx, commentCreated, { comment, ...place }, cause)
  return issue
}

/**
 * Checks that the job contains the frame; a ground-truth job contains only some frames of its range. @throws
 * DomainError invalid
 */
async function assertFrame(
  tx: Transaction<ProjectsDb>,
  { id, type, start_frame, stop_frame, frame_count }: JobView,
  frame: number,
): Promise<void> {
  if (frame < start_frame || frame > stop_frame)
    throw invalid({ frame: `The job has the frames ${start_frame} to ${stop_frame}.` })
  if (type !== 'ground_truth' || (await hasValidationFrame(tx, id, frame))) return
  throw invalid({
    frame: `The frame ${frame} is none of the job's ${frame_count} frames of ground truth.`,
  })
}
