import { commentCreated, issueCreated } from '@reticle/contracts/events/issues'
import type { BackupIssue, BackupJob } from '@reticle/contracts/rest/backups'
import { type Context, invalidText, signedIn } from '@reticle/kit'
import { emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { commentRecord } from '../comments/records.ts'
import { insertComment } from '../comments/repo.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { placeOf } from '../issues/messages.ts'
import { issueRecord } from '../issues/records.ts'
import { findIssue, insertIssue } from '../issues/repo.ts'

interface Given {
  issue: BackupIssue
  /** The one that it names, and the id that this has got. */
  job: BackupJob | undefined
  job_id: number | undefined
}

/** An issue with its comments, opened by whoever restores it; what others wrote says who they were. */
export async function restoreIssue(
  tx: Transaction<ProjectsDb>,
  { issue, job, job_id }: Given,
  context: Context,
): Promise<void> {
  const { frame, position, resolved, comments } = issue
  if (!job || job_id === undefined)
    throw invalidText(`issues.json: there is no job ${issue.job}, which an issue is about`)
  if (frame < job.start_frame || frame > job.stop_frame)
    throw invalidText(`issues.json: the job ${issue.job} has no frame ${frame}`)
  const { user_id: owner_id, username } = signedIn(context)
  const id = await insertIssue(tx, { job_id, frame, position, resolved, owner_id })
  const rows = []
  for (const { owner, message } of comments) {
    const isOwn = owner === username || owner === null
    const text = isOwn ? message : `${owner}: ${message}`
    rows.push(await insertComment(tx, { issue_id: id, owner_id, message: text }))
  }
  const row = await findIssue(tx, id)
  if (!row) throw new Error(`issue ${id} was not inserted`)
  const place = placeOf(row)
  await emit(tx, issueCreated, { issue: await issueRecord(tx, row), ...place }, context)
  for (const comment of rows)
    await emit(tx, commentCreated, { comment: await commentRecord(tx, comment), ...place }, context)
}
