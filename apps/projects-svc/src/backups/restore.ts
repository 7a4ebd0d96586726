import {
  type BackupLines,
  BackupLinesError,
  openBackupLines,
} from '@reticle/contracts/backup-lines'
import type { BackupIssue, BackupJob, BackupTask } from '@reticle/contracts/rest/backups'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { type CallContext, invalidText, notFound, signedIn } from '@reticle/kit'
import type { Bytes } from '@reticle/kit/call/context'
import type { Transaction } from 'kysely'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { planNewLabels } from '../labels/plan.ts'
import { writeLabels } from '../labels/repo-write.ts'
import { type AttachSettings, attachFrames, type Media } from '../media/attach.ts'
import { insertComment } from '../review/comments/repo.ts'
import { insertIssue } from '../review/issues/repo.ts'
import { type CreateSettings, checkReplicas } from '../tasks/create.ts'
import { lockTask, type TaskView, updateTask } from '../tasks/repo.ts'
import { arrangeJobs, splitOf } from './jobs.ts'

type Tx = Transaction<ProjectsDb>

export type RestoreSettings = AttachSettings & CreateSettings

/**
 * Fills a task of a draft from the lines of a backup: labels, media, jobs and issues
 * (`docs/spec/workspace.md#backups`). Emits no events, because the draft is not published yet.
 *
 * @returns ids of its jobs, in the order of the backup
 * @throws DomainError with the text that becomes the message of the request
 */
export async function restoreTask(
  tx: Tx,
  { task_id, body }: { task_id: number; body: Bytes },
  settings: RestoreSettings,
  context: CallContext,
): Promise<number[]> {
  await allowLongStatements(tx)
  const row = await lockTask(tx, task_id)
  if (row?.draft_id == null) throw notFound()
  if (row.size > 0) throw invalidText('Adding more data is not supported')
  try {
    return await restore(tx, row, openBackupLines(body), settings, context)
  } catch (thrown) {
    throw thrown instanceof BackupLinesError ? invalidText(thrown.message) : thrown
  }
}

async function restore(
  tx: Tx,
  { id }: TaskView,
  lines: BackupLines,
  settings: RestoreSettings,
  context: CallContext,
): Promise<number[]> {
  const task = await lines.take('task')
  if (!task) throw new BackupLinesError('a task is expected')
  const { bug_tracker, labels = [] } = task
  const { split, consensus_replicas } = splitOf(task)
  checkReplicas(consensus_replicas, settings)
  await writeLabels(tx, { kind: 'task', id }, [], await planNewLabels(labels))
  const row = await updateTask(tx, id, { bug_tracker, consensus_replicas })
  const jobIds: number[] = []
  const media: Media = {
    ...mediaOf(task),
    frames: framesOf(lines),
    split,
    arrange: async (size) => {
      jobIds.push(...(await arrangeJobs(tx, { id, size, task })))
      return task.jobs.some(({ type }) => type === 'ground_truth') ? 'gt' : null
    },
  }
  await attachFrames(tx, row, media, settings, context)
  for await (const issue of lines.all('issue'))
    await restoreIssue(tx, { issue, job: task.jobs[issue.job], job_id: jobIds[issue.job] }, context)
  return jobIds
}

function mediaOf({ data }: BackupTask) {
  const { storage, video_name, deleted_frames: _, ...rest } = data
  return {
    ...rest,
    ...(storage !== 'local' && { storage }),
    ...(video_name !== null && { video_name }),
  }
}

const batch = 500

async function* framesOf(lines: BackupLines): AsyncGenerator<FrameSource[]> {
  let frames: FrameSource[] = []
  for await (const frame of lines.all('frame')) {
    frames.push(frame)
    if (frames.length < batch) continue
    yield frames
    frames = []
  }
  yield frames
}

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
async function restoreIssue(
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
