import { type BackupLines, openBackupLines } from '@reticle/contracts/backup-lines'
import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { BackupProject, BackupTask } from '@reticle/contracts/rest/backups'
import type { Label } from '@reticle/contracts/rest/labels'
import type { ArchiveFile } from '@reticle/formats/archive/zip-writer'
import { createReport, type ReportWriter } from '@reticle/formats/report/conversion-report'
import type { CallContext } from '@reticle/kit'
import type { OperationDeps } from '../operations/operation.ts'
import { type Staged, stageTexts } from '../operations/staging.ts'
import { writeArchive } from '../operations/write-archive.ts'
import { UnusableInput } from '../work/errors.ts'
import { toReport } from '../work/report.ts'
import type { BackupWork, OperationOutcome } from '../work/request-work.ts'
import { contextOf } from '../work/request-work.ts'
import { guideFiles } from './write-guide.ts'
import { type BackupMedia, manifestFile, mediaFiles } from './write-media.ts'
import { namesOf, setText } from './write-sets.ts'
import { formatProjectJson, formatTaskJson } from './write-task.ts'

/** Share of the work done when everything but the media is read. */
const readShare = 0.2

/** Task with its staged data in temporary files. */
interface Part {
  task: BackupTask
  labels: readonly Label[]
  frames: Staged
  count: number
  /** Content of `annotations.json`. */
  annotations: Staged
  /** Content of `issues.json`; undefined without issues. */
  issues: Staged | undefined
}

interface Run extends OperationDeps {
  context: CallContext
  report: ReportWriter
}

/**
 * Writes a project or task as an archive into the blob store. Memory does not grow with it: frames and annotations are
 * staged in temporary files, media is streamed as stored. The annotations of each job are read from one snapshot.
 * Content of the archive: docs/spec/workspace.md#backups
 */
export async function exportBackup(
  work: BackupWork,
  deps: OperationDeps,
): Promise<OperationOutcome> {
  const { services, signal, progress } = deps
  const context = contextOf(work, signal)
  const report = createReport()
  const run: Run = { ...deps, context, report }
  const { target, target_id: id, params } = work
  progress(0, 'Reading annotations')
  // projects-svc knows which exports an organization permits its workers.
  await services.tasks.authorize({ target, id, action: 'export' }, context)
  const { chunks } = await services.tasks.describeBackup({ target, id }, context)
  const lines = openBackupLines(chunks)
  const project = await lines.take('project')
  const parts = await readParts(lines, run)
  if (!project && parts.length === 0) throw new UnusableInput('The task was deleted')

  const files = () =>
    project
      ? projectFiles({ project, id, parts }, params, run)
      : partsFiles([{ part: parts[0] ?? raise(), folder: '' }], params, run)
  const result = await writeArchive(work, deps, files)
  return { report: toReport(report), result, result_id: null }
}

function raise(): never {
  throw new Error('the backup of a task contains no task')
}

async function readParts(lines: BackupLines, run: Run): Promise<Part[]> {
  const parts: Part[] = []
  for (;;) {
    const task = await lines.take('task')
    if (!task) return parts
    parts.push(await readPart(task, `${parts.length}`, lines, run))
  }
}

async function readPart(
  task: BackupTask,
  name: string,
  lines: BackupLines,
  run: Run,
): Promise<Part> {
  const { services, tmpDir, signal, context } = run
  const { labels } = await services.labels.getLabelSet(
    { target: 'task', id: task.id ?? 0 },
    context,
  )
  let count = 0
  const frameTexts = async function* () {
    for await (const frame of lines.all('frame')) {
      count += 1
      yield encodeFrame(frame)
    }
  }
  const frames = await stageTexts(tmpDir, `${name}.frames`, frameTexts(), signal)
  const issues = await stageIssues(`${name}.issues`, lines, run)
  const texts = setTexts(task, labels, run)
  const annotations = await stageTexts(tmpDir, `${name}.annotations`, texts, signal)
  return { task, labels, frames, count, annotations, issues }
}

async function stageIssues(
  name: string,
  lines: BackupLines,
  { tmpDir, signal }: Run,
): Promise<Staged | undefined> {
  const first = await lines.take('issue')
  if (!first) return undefined
  const texts = async function* () {
    yield `[${JSON.stringify(first)}`
    for await (const issue of lines.all('issue')) yield `,${JSON.stringify(issue)}`
    yield ']'
  }
  return stageTexts(tmpDir, name, texts(), signal)
}

/** Writes an annotation set for each job, in the order of jobs. */
async function* setTexts(
  { jobs }: BackupTask,
  labels: readonly Label[],
  { services, context, report }: Run,
): AsyncGenerator<string> {
  const names = namesOf(labels)
  for (const [place, { id = 0 }] of jobs.entries()) {
    yield place === 0 ? '[' : ','
    const { chunks } = await services.annotations.readRows({ target: 'job', id }, context)
    yield* setText(chunks, names, report)
  }
  yield ']'
}

interface MediaOptions extends Pick<BackupWork['params'], 'lightweight'> {
  onFrame: () => void
}

/** Reports the number of written frames as progress. */
function counting(parts: readonly Placed[], { progress }: Run): Pick<MediaOptions, 'onFrame'> {
  const items_total = parts.reduce((sum, { part }) => sum + part.count, 0)
  let items_done = 0
  progress(readShare, 'Writing the archive')
  return {
    onFrame: () => {
      items_done += 1
      const share = readShare + (1 - readShare) * (items_done / items_total)
      progress(share, 'Writing the archive', { items_done, items_total })
    },
  }
}

interface ProjectParts {
  project: BackupProject
  id: number
  parts: readonly Part[]
}

async function* projectFiles(
  { project, id, parts }: ProjectParts,
  params: BackupWork['params'],
  run: Run,
): AsyncGenerator<ArchiveFile> {
  const { services, context } = run
  const { labels } = await services.labels.getLabelSet({ target: 'project', id }, context)
  yield { path: 'project.json', content: formatProjectJson(project, labels) }
  yield* guideFiles(project.guide, run, context)
  const placed = parts.map((part, place) => ({ part, folder: `task_${place}/` }))
  yield* partsFiles(placed, params, run)
}

/** Task and the folder of its files. */
interface Placed {
  part: Part
  folder: string
}

/** Yields the descriptions of the tasks, then their media. */
async function* partsFiles(
  placed: readonly Placed[],
  { lightweight }: BackupWork['params'],
  run: Run,
): AsyncGenerator<ArchiveFile> {
  const options = { lightweight, ...counting(placed, run) }
  for (const files of [taskDocuments, taskMedia])
    for (const { part, folder } of placed)
      for await (const file of files(part, options, run))
        yield { ...file, path: `${folder}${file.path}` }
}

async function* taskDocuments(
  part: Part,
  options: MediaOptions,
  run: Run,
): AsyncGenerator<ArchiveFile> {
  const { task, labels, frames, annotations, issues } = part
  const media = mediaOf(part, options, run)
  const content = await formatTaskJson({ task, labels, frames, isListOnly: media.isListOnly })
  yield { path: 'task.json', content }
  yield { path: 'annotations.json', content: annotations.read() }
  if (issues) yield { path: 'issues.json', content: issues.read() }
  yield await manifestFile(run.blobs, media)
  yield* guideFiles(task.guide, run, run.context)
}

const taskMedia = (part: Part, options: MediaOptions, run: Run): AsyncGenerator<ArchiveFile> =>
  mediaFiles(run.blobs, mediaOf(part, options, run))

const mediaOf = (
  { task: { data }, frames }: Part,
  { lightweight, onFrame }: MediaOptions,
  { signal }: Run,
): BackupMedia => ({
  frames,
  signal,
  onFrame,
  isVideo: data.video_name !== null,
  isListOnly: lightweight && data.storage === 'cloud_storage',
})
