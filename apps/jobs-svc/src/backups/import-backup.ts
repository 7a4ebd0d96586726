import { encodeBackupLine } from '@reticle/contracts/backup-lines'
import { decodeFrames } from '@reticle/contracts/frame-lines'
import type {
  BackupIssue,
  BackupProject,
  BackupTask,
  Restored,
} from '@reticle/contracts/rest/backups'
import { rowLinesHeader } from '@reticle/contracts/row-lines'
import { createReport, type ReportWriter } from '@reticle/formats/report'
import type { Context } from '@reticle/kit'
import { joinTexts } from '@reticle/kit/pieces'
import { keptOnce } from '../contents/hashed.ts'
import { fetchedFile } from '../locations/fetch.ts'
import { failureOf } from '../operations/failure.ts'
import { contextOf, type OperationDeps } from '../operations/operation.ts'
import { toReport } from '../operations/report.ts'
import { restoredPrefix } from '../operations/result-key.ts'
import type { Outcome, RestoreWork } from '../requests/work.ts'
import { type BackupArchive, openBackup } from './read-archive.ts'
import { type ArchivedGuide, readGuide, restoreGuide } from './read-guide.ts'
import { findMedia, type RestoredMedia } from './read-media.ts'
import { type KnownLabels, knownLabels, readSets, type SetLine } from './read-sets.ts'
import { readIssues, readProject, readTask, toBackupTask } from './read-task.ts'

/** Shares of the work after which all is read and checked, and after which the objects are made. */
const readShare = 0.5
const madeShare = 0.6

interface Part {
  folder: string
  task: BackupTask
  media: RestoredMedia
  issues: readonly BackupIssue[]
  guide: ArchivedGuide | undefined
  /** What is made of its files lies below. */
  prefix: string
}

interface Run extends OperationDeps {
  work: RestoreWork
  archive: BackupArchive
  context: Context
  report: ReportWriter
}

/**
 * Makes a project or task of an archive, or nothing (`spec/api-workspace.md` 7, `docs/adr/0028`). Everything is read and checked
 * before anything is made; then projects-svc makes all but the annotations in one transaction, and what cannot be added to that
 * undoes it. Pictures stay in the archive, which becomes media.
 */
export async function importBackup(work: RestoreWork, deps: OperationDeps): Promise<Outcome> {
  const { services, blobs, limits, signal } = deps
  const { target, params, request_uuid: call_id, input_key } = work
  const context = contextOf(work, signal)
  deps.progress(0, 'Reading the archive')
  await services.tasks.authorize({ target, id: 0, action: 'create' }, context)
  const fetched = await fetchedFile(params, deps, context)
  const { files, spare } = await keptOnce([fetched], input_key, deps)
  const [file = fetched] = files
  const archive = await openBackup(blobs, file, target, limits)
  const run: Run = { ...deps, work, archive, context, report: createReport() }
  try {
    const { project, guide, parts } = await readAll(run)
    await deps.enterFinal()
    deps.progress(readShare, 'Creating objects')
    const body = joinTexts(linesOf(project, parts))
    const restored = await services.tasks.restoreBackup({ target, call_id, body }, context)
    await addTo(restored, { guide, parts }, run).catch((thrown) => undo(thrown, run))
    const tasks = restored.tasks.map(({ task_id }, place) => ({
      ...{ task_id, prefix: parts[place]?.prefix ?? '' },
    }))
    const result_id = restored.project_id ?? tasks[0]?.task_id ?? null
    return { report: toReport(run.report), result: null, result_id, restored: tasks, spare }
  } catch (thrown) {
    await blobs.removePrefix(restoredPrefix(work)).catch(() => undefined) // the sweeper comes later
    throw thrown
  }
}

interface Read {
  project: BackupProject | undefined
  guide: ArchivedGuide | undefined
  parts: readonly Part[]
}

async function readAll(run: Run): Promise<Read> {
  const { archive, work, report, progress } = run
  const isProject = work.target === 'project'
  const described = isProject ? await readProject(archive) : undefined
  const guide = isProject ? await readGuide(archive, '', report) : undefined
  const parts: Part[] = []
  for (const [place, folder] of archive.folders.entries()) {
    const tell = (share: number) =>
      progress((readShare * (place + share)) / archive.folders.length, 'Reading the archive')
    parts.push(await readPart({ folder, place, labels: described?.labels, tell }, run))
  }
  const project = described && { ...described, guide: null }
  return { project, guide, parts }
}

interface Wanted {
  folder: string
  place: number
  /** Of the project that it is in. */
  labels: BackupProject['labels']
  tell: (share: number) => void
}

async function readPart({ folder, place, labels, tell }: Wanted, run: Run): Promise<Part> {
  const { archive, work, report } = run
  const archived = await readTask(archive, folder)
  const prefix = `${restoredPrefix(work)}${place}/`
  const wanted = { archive, folder, task: archived, seed: work.request_uuid, prefix }
  const found = { ...run, progress: tell }
  const media = await findMedia({ ...wanted, name: `${place}.frames` }, found)
  const task = { ...toBackupTask(archived, media), guide: null }
  const known = knownLabels(labels ?? task.labels ?? [])
  for await (const _ of setsOf(folder, task, known, run)); // so that what is wrong is known before anything is made
  const issues = await readIssues(archive, folder)
  const guide = await readGuide(archive, folder, report)
  return { folder, task, media, issues, guide, prefix }
}

/** Row lines of the jobs of a task, by their places. */
async function* setsOf(
  folder: string,
  { jobs }: Pick<BackupTask, 'jobs'>,
  labels: KnownLabels,
  { archive: { zip }, signal }: Run,
): AsyncGenerator<SetLine> {
  const file = `${folder}annotations.json`
  const entry = zip.files.get(file)
  if (!entry) return
  for await (const one of readSets(zip.stream(entry), labels, { file, most: jobs.length })) {
    signal.throwIfAborted()
    yield one
  }
}

async function* linesOf(
  project: BackupProject | undefined,
  parts: readonly Part[],
): AsyncGenerator<string> {
  if (project) yield encodeBackupLine({ project })
  for (const { task, media, issues } of parts) {
    yield encodeBackupLine({ task })
    for await (const batch of decodeFrames(media.frames.read()))
      for (const frame of batch) yield encodeBackupLine({ frame })
    for (const issue of issues) yield encodeBackupLine({ issue })
  }
}

/** What other services keep, each part once however often it is tried. */
async function addTo(
  { project_id, tasks }: Restored,
  { guide, parts }: Pick<Read, 'guide' | 'parts'>,
  run: Run,
): Promise<void> {
  const { work, archive, context, progress } = run
  const { request_uuid } = work
  if (guide && project_id !== null) {
    const whose = { owner: { project_id }, call_id: request_uuid }
    await restoreGuide(guide, whose, archive, run, context)
  }
  for (const [place, part] of parts.entries()) {
    const made = tasks[place]
    if (!made) throw new Error(`task ${place} of the archive was not made`)
    const whose = { owner: { task_id: made.task_id }, call_id: `${request_uuid} ${place}` }
    if (part.guide) await restoreGuide(part.guide, whose, archive, run, context)
    await addAnnotations(part, made, run)
    const share = madeShare + (1 - madeShare) * ((place + 1) / parts.length)
    progress(share, 'Storing annotations')
  }
}

type RestoredTask = Restored['tasks'][number]

async function addAnnotations(
  { folder, task }: Part,
  { task_id, job_ids }: RestoredTask,
  run: Run,
): Promise<void> {
  const { services, context, report, work } = run
  const { labels } = await services.labels.getLabelSet({ target: 'task', id: task_id }, context)
  const source = setsOf(folder, task, knownLabels(labels), run)[Symbol.asyncIterator]()
  let next = await source.next()
  while (!next.done) {
    const { set } = next.value
    const own = async function* () {
      yield rowLinesHeader
      for (; !next.done && next.value.set === set; next = await source.next()) yield next.value.line
    }
    const body = joinTexts(own())
    const { duplicates: _, ...created } = await services.annotations.writeRows(
      {
        ...{ target: 'job', id: job_ids[set] ?? 0, mode: 'replace', body },
        ...{ call_id: `${work.request_uuid}:${job_ids[set]}`, rq_id: work.rq_id },
        keeps_state: keepsState(task.jobs[set]),
      },
      context,
    )
    for (const kind of ['tags', 'shapes', 'tracks'] as const) report.created(kind, created[kind])
    while (!next.done && next.value.set === set) next = await source.next() // a repeat has not been read
  }
}

/** One of which nothing but its annotation is told is in progress as soon as it has some. */
const keepsState = (job: BackupTask['jobs'][number] | undefined) =>
  job?.state !== undefined || job?.status !== 'annotation'

/** Another attempt would fail the same way: what was made goes at once. Otherwise it goes on with that, or the end undoes it. */
async function undo(thrown: unknown, { services, work, context }: Run): Promise<never> {
  if (failureOf(thrown).kind === 'user')
    await services.tasks
      .undoRestore({ call_id: work.request_uuid }, { ...context, next_call_id: undefined })
      .catch(() => undefined) // then the event of its end does it
  throw thrown
}
