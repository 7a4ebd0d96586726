import {
  type BackupLines,
  BackupLinesError,
  openBackupLines,
} from '@reticle/contracts/backup-lines'
import type { BackupTask, Restored } from '@reticle/contracts/rest/backups'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { type Context, conflict, invalidText, signedIn } from '@reticle/kit'
import { answerOf, applyOnce, forgetAnswer, noteApplied } from '@reticle/kit/outbox/calls'
import type { Cause } from '@reticle/kit/outbox/emit'
import { allow } from '@reticle/kit/policy'
import type { Bytes } from '@reticle/kit/rpc/context'
import type { Transaction } from 'kysely'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { type AttachSettings, attachFrames, type Media } from '../media/attach.ts'
import { createProject } from '../projects/create.ts'
import { projectRules } from '../projects/policy.ts'
import { removeProject } from '../projects/remove.ts'
import { lockProject } from '../projects/repo.ts'
import { workspaceStanding } from '../roles.ts'
import { type CreateSettings, createTask } from '../tasks/create.ts'
import { removeTask } from '../tasks/remove.ts'
import { lockTask, lockTaskAndProject } from '../tasks/repo.ts'
import { restoreIssue } from './issues.ts'
import { arrangeJobs, splitOf } from './jobs.ts'

type Tx = Transaction<ProjectsDb>

export type RestoreSettings = AttachSettings & CreateSettings

interface Asked {
  call_id: string
  body: Bytes
}

/**
 * A project or task with its media, jobs and issues as a backup tells of them, owned by the caller, in the workspace that the
 * request names; each is told of as if it had been made by hand (`spec/api-workspace.md` 7).
 *
 * @throws DomainError with the text that becomes the request's message; conflict after it was undone
 */
export async function restoreBackup(
  tx: Tx,
  { call_id, body }: Asked,
  settings: RestoreSettings,
  context: Context,
): Promise<Restored> {
  const answer = await applyOnce<ProjectsDb, Restored | null>(tx, call_id, async () => {
    await allowLongStatements(tx)
    try {
      return await restore(tx, openBackupLines(body), settings, context)
    } catch (thrown) {
      throw thrown instanceof BackupLinesError ? invalidText(thrown.message) : thrown
    }
  })
  if (!answer) throw conflict('The import was given up.')
  return answer
}

async function restore(
  tx: Tx,
  lines: BackupLines,
  settings: RestoreSettings,
  context: Context,
): Promise<Restored> {
  const principal = signedIn(context)
  const project = await lines.take('project')
  if (project) allow(projectRules, 'create', principal, workspaceStanding(principal))
  const made = project && (await createProject(tx, principal, project, context))
  const project_id = made?.id ?? null
  const tasks: Restored['tasks'] = []
  for await (const task of lines.all('task'))
    tasks.push(await restoreTask(tx, { task, project_id, lines }, settings, context))
  return { project_id, tasks }
}

interface Given {
  task: BackupTask
  project_id: number | null
  /** Those of its frames and issues come next. */
  lines: BackupLines
}

async function restoreTask(
  tx: Tx,
  { task, project_id, lines }: Given,
  settings: RestoreSettings,
  context: Context,
): Promise<Restored['tasks'][number]> {
  const { split, consensus_replicas } = splitOf(task)
  const id = await addTask(tx, { task, project_id, consensus_replicas }, settings, context)
  const row = await lockTask(tx, id)
  if (!row) throw new Error(`task ${id} was not inserted`)
  const { storage, video_name, deleted_frames: _, ...data } = task.data
  const jobIds: number[] = []
  const media: Media = {
    ...data,
    ...(storage !== 'local' && { storage }),
    ...(video_name !== null && { video_name }),
    frames: framesOf(lines, id),
    split,
    arrange: async (size) => {
      jobIds.push(...(await arrangeJobs(tx, { id, size, task })))
      return task.jobs.some(({ type }) => type === 'ground_truth') ? 'gt' : null
    },
  }
  await attachFrames(tx, row, media, settings, context)
  for await (const issue of lines.all('issue'))
    await restoreIssue(tx, { issue, job: task.jobs[issue.job], job_id: jobIds[issue.job] }, context)
  return { task_id: id, job_ids: jobIds }
}

async function addTask(
  tx: Tx,
  { task, project_id, consensus_replicas }: Omit<Given, 'lines'> & { consensus_replicas: number },
  settings: RestoreSettings,
  context: Context,
): Promise<number> {
  const { name, bug_tracker, subset, labels } = task
  const { row } = await createTask(
    tx,
    signedIn(context),
    {
      ...{ name, bug_tracker, subset, consensus_replicas },
      ...(project_id === null ? { labels } : { project_id }),
    },
    settings,
    context,
  )
  return row.id
}

const batch = 500

async function* framesOf(lines: BackupLines, task_id: number): AsyncGenerator<FrameSource[]> {
  let frames: FrameSource[] = []
  for await (const frame of lines.all('frame')) {
    frames.push(ofTask(frame, task_id))
    if (frames.length < batch) continue
    yield frames
    frames = []
  }
  yield frames
}

function ofTask({ related, ...frame }: FrameSource, task_id: number): FrameSource {
  const own = <T extends { key: string }>(image: T): T => ({
    ...image,
    key: image.key.replace('{task}', String(task_id)),
  })
  return { ...own(frame), ...(related && { related: { files: related.files.map(own) } }) }
}

/** Whatever was restored under this id goes again, and is told of; whoever comes later with it is refused. */
export async function undoRestore(tx: Tx, call_id: string, cause: Cause): Promise<void> {
  if (await noteApplied(tx, call_id, null)) return
  const known = await answerOf<ProjectsDb, Restored | null>(tx, call_id)
  if (!known?.answer) return
  await forgetAnswer(tx, call_id)
  const { project_id, tasks } = known.answer
  const project = project_id === null ? undefined : await lockProject(tx, project_id)
  if (project) return removeProject(tx, project, cause)
  for (const { task_id } of tasks) {
    const row = await lockTaskAndProject(tx, task_id)
    if (row) await removeTask(tx, row, cause)
  }
}
