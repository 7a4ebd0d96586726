import type { BackupIssue, BackupJob } from '@reticle/contracts/rest/backups'
import { type CallContext, invalidText, signedIn } from '@reticle/kit'
import type { Transaction } from 'kysely'
import { insertComment } from '../comments/repo.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { insertIssue } from '../issues/repo.ts'

interface RestoredIssue {
  issue: BackupIssue
  /** Job in the backup that the issue references, and the id of the restored job. */
  job: BackupJob | undefined
  job_id: number | undefined
}

/**
 * Inserts an issue with its comments, owned by the user who restores it. Comments of other users keep their authors'
 * names in the text.
 */
export async function restoreIssue(
  tx: Transaction<ProjectsDb>,
  { issue, job, job_id }: RestoredIssue,
  context: CallContext,
): Promise<void> {
  const { frame, position, resolved, comments } = issue
  if (!job || job_id === undefined)
    throw invalidText(`issues.json: there is no job ${issue.job}, which an issue is about`)
  if (frame < job.start_frame || frame > job.stop_frame)
    throw invalidText(`issues.json: the job ${issue.job} has no frame ${frame}`)
  const { user_id: owner_id, username } = signedIn(context)
  const id = await insertIssue(tx, { job_id, frame, position, resolved, owner_id })
  for (const { owner, message } of comments) {
    const isOwn = owner === username || owner === null
    const text = isOwn ? message : `${owner}: ${message}`
    await insertComment(tx, { issue_id: id, owner_id, message: text })
  }
}
