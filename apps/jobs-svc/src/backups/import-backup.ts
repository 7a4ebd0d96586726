import { encodeBackupLine } from '@reticle/contracts/backup-lines'
import { decodeFrames } from '@reticle/contracts/frame-lines'
import type { BackupIssue, BackupTask } from '@reticle/contracts/rest/backups'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import type { CallContext } from '@reticle/kit'
import { joinTexts } from '@reticle/kit/call/pieces'
import { asDraft } from '../imports/draft.ts'
import { fetchDatasetFile } from '../imports/fetch-dataset-file.ts'
import type { OperationDeps } from '../operations/operation.ts'
import { toReport, withReport } from '../work/report.ts'
import type { OperationOutcome, RestoreWork } from '../work/request-work.ts'
import { contextOf } from '../work/request-work.ts'
import { mediaPrefix } from '../work/result-key.ts'
import { type BackupArchive, openBackup } from './read-archive.ts'
import { readGuide, restoreGuide } from './read-guide.ts'
import { findMedia, type RestoredMedia } from './read-media.ts'
import { readIssues, readProject, readTask, toBackupTask } from './read-task.ts'
import { restoreAnnotations } from './restore-annotations.ts'

interface Run extends OperationDeps {
  work: RestoreWork
  archive: BackupArchive
  context: CallContext
  report: ReportWriter
  draft_id: string
}

/**
 * Restores a project or task from an archive, all or nothing, one task after the other. Pictures stay in the archive,
 * which becomes media (docs/adr/0028-build-restores-as-hidden-drafts.md).
 */
export function importBackup(work: RestoreWork, deps: OperationDeps): Promise<OperationOutcome> {
  return withReport((report) => restoreArchive(work, deps, report))
}

async function restoreArchive(
  work: RestoreWork,
  deps: OperationDeps,
  report: ReportWriter,
): Promise<OperationOutcome> {
  const { services, blobs, limits, signal } = deps
  const { target, request_uuid, params } = work
  const context = contextOf(work, signal)
  deps.progress(0, 'Reading the archive')
  await services.tasks.authorize({ target, id: 0, action: 'create' }, context)
  const file = await fetchDatasetFile(work, deps, context)
  const archive = await openBackup(blobs, file, target, limits)
  const draftRequest = { request_uuid, isTried: params.dry_run }
  const { published } = await asDraft(draftRequest, deps, context, (draft_id) =>
    restoreAll({ ...deps, work, archive, context, report, draft_id }),
  )
  const result_id = published?.project_id ?? published?.task_ids[0] ?? null
  return { report: toReport(report), result: null, result_id }
}

async function restoreAll(run: Run): Promise<void> {
  const { archive, work, progress } = run
  const isProject = work.target === 'project'
  if (isProject) await beginProject(run)
  else
    await run.services.tasks.openDraft(
      { body: { draft_id: run.draft_id, labels: [] } },
      run.context,
    )
  const { length } = archive.folders
  for (const [place, folder] of archive.folders.entries()) {
    const reportShare = (share: number, stage: string) => progress((place + share) / length, stage)
    await restorePart(folder, isProject, { ...run, progress: reportShare })
  }
}

/** Creates the project of the tasks, with its guide. */
async function beginProject(run: Run): Promise<void> {
  const { archive, services, context, report, draft_id } = run
  const { labels, ...project } = await readProject(archive)
  const body = { draft_id, project, labels }
  const { project_id } = await services.tasks.openDraft({ body }, context)
  if (project_id === null) throw new Error('a project draft must have a project_id')
  const guide = await readGuide(archive, '', report)
  if (guide) await restoreGuide(guide, { project_id }, archive, run, context)
}

/** Shares of a task done when its media is found, and when all but its annotations is created. */
const [readShare, madeShare] = [0.5, 0.6]

async function restorePart(folder: string, isInProject: boolean, run: Run): Promise<void> {
  const { archive, work, services, context, draft_id, report, progress } = run
  const archived = await readTask(archive, folder)
  const { name, subset = '' } = archived
  const { task_id } = await services.tasks.addDraftTask({ draft_id, name, subset }, context)
  await run.shareWithTask(task_id)
  const input = { archive, folder, task: archived, task_id, seed: work.request_uuid }
  const reportShare = (share: number) => progress(readShare * share, 'Reading the archive')
  const prefix = mediaPrefix(work, task_id)
  const media = await findMedia({ ...input, prefix }, { ...run, progress: reportShare })
  const task = toBackupTask(archived, media)
  const issues = await readIssues(archive, folder)
  progress(readShare, 'Creating objects')
  const described = { ...task, guide: null, ...(isInProject && { labels: [] }) }
  const body = joinTexts(linesOf(described, media, issues))
  const { job_ids } = await services.tasks.restoreTask({ task_id, body }, context)
  const guide = await readGuide(archive, folder, report)
  if (guide) await restoreGuide(guide, { task_id }, archive, run, context)
  progress(madeShare, 'Storing annotations')
  await restoreAnnotations({ folder, jobs: task.jobs, task_id, job_ids }, run)
}

async function* linesOf(
  task: BackupTask,
  { frames }: RestoredMedia,
  issues: readonly BackupIssue[],
): AsyncGenerator<string> {
  yield encodeBackupLine({ task })
  for await (const batch of decodeFrames(frames.read()))
    for (const frame of batch) yield encodeBackupLine({ frame })
  for (const issue of issues) yield encodeBackupLine({ issue })
}
