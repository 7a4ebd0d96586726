import { decodeFrames } from '@reticle/contracts/frame-lines'
import type { Facts } from '@reticle/contracts/rest/facts'
import { stepOf } from '@reticle/contracts/rest/sources'
import { decodeRows, rowColumns } from '@reticle/contracts/row-lines'
import type { TargetFrame, TargetFrames } from '@reticle/formats/model/dataset'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { FormatError } from '@reticle/formats/report/errors'
import type { CallContext } from '@reticle/kit'
import { fetchImportFile } from '../operations/fetch-file.ts'
import { formatLabels } from '../operations/format-labels.ts'
import type { OperationDeps, OperationServices } from '../operations/operation.ts'
import { stageTexts } from '../operations/staging.ts'
import { blobSource } from '../storage/stored-file.ts'
import { importerOf } from '../work/format-lookup.ts'
import { toReport, withReport } from '../work/report.ts'
import type { ImportWork, OperationOutcome } from '../work/request-work.ts'
import { contextOf } from '../work/request-work.ts'
import { keepUnlistedValues, namingObject } from './storing-errors.ts'
import { toRowLines } from './to-rows.ts'

/** Share of the work done when the file is read and checked. */
const readShare = 0.7

/**
 * Imports a file of annotations into a task or job. Reads and checks everything first; then one call writes it in one
 * transaction, which is idempotent for the request. A dry run is rolled back at the end of that transaction.
 */
export function importAnnotations(
  work: ImportWork,
  deps: OperationDeps,
): Promise<OperationOutcome> {
  return withReport((report) => readAndWrite(work, deps, report))
}

async function readAndWrite(
  work: ImportWork,
  deps: OperationDeps,
  report: ReportWriter,
): Promise<OperationOutcome> {
  const { blobs, services, signal, tmpDir } = deps
  const context = contextOf(work, signal)
  const { target, target_id: id, task_id, params, rq_id, request_uuid: call_id } = work
  const file = await fetchImportFile(params, deps, context)
  deps.progress(0, 'Reading the file')
  const facts = await services.tasks.authorize({ target, id, action: 'import' }, context)
  const { labels } = await services.labels.getLabelSet({ target: 'task', id: task_id }, context)
  const into = { labels: formatLabels(labels), frames: await targetFrames(facts, deps, context) }
  const { size: bytes_total } = file
  const progress = (share: number) => {
    const bytes_done = Math.round(share * bytes_total)
    deps.progress(readShare * share, 'Reading the file', { bytes_done, bytes_total })
  }
  const source = blobSource(blobs, file)
  const unlisted = keepUnlistedValues()
  const objects = importerOf(params.format).importAnnotations(source, into, {
    report,
    signal,
    progress,
    conv_mask_to_poly: params.conv_mask_to_poly,
    onUnlistedValue: unlisted.onUnlistedValue,
    archiveLimits: deps.limits,
  })
  const takenGroups =
    params.import_mode !== 'replace' ? await largestGroup(services, { target, id }, context) : 0
  const lines = toRowLines(objects, takenGroups)
  const staged = await stageTexts(tmpDir, 'import.rows', lines, signal).catch((thrown) => {
    throw namingFile(thrown, file.name)
  })

  const { import_mode: mode, if_match, dry_run } = params
  if (!dry_run) await deps.enterFinal()
  deps.progress(readShare, 'Storing annotations')
  const write = { target, id, mode, dry_run, call_id, rq_id, body: staged.read() }
  const { duplicates, ...created } = await services.annotations
    .writeRows(if_match === null ? write : { ...write, if_match }, context)
    .catch(async (thrown) => {
      throw await namingObject(thrown, { rows: staged, into, unlisted, file: file.name })
    })
  if (duplicates > 0) report.note('skipped', 'duplicate', isThere, undefined, duplicates)
  return { report: { ...toReport(report), created }, result: null, result_id: null }
}

const isThere = 'equal to an object that is there'

/** Returns the largest existing group. Files number their groups from 1, so equal numbers would merge groups. */
async function largestGroup(
  { annotations }: Pick<OperationServices, 'annotations'>,
  of: Pick<ImportWork, 'target'> & { id: number },
  context: CallContext,
): Promise<number> {
  const { chunks } = await annotations.readRows(of, context)
  let largest = 0
  for await (const rows of decodeRows(chunks)) {
    for (const { kind, columns } of rows) {
      const group = Number(columns[rowColumns[kind].indexOf('group')])
      largest = Math.max(largest, group)
    }
  }
  return largest
}

/** Adds the name of the upload to an error that names no member. */
export function namingFile(thrown: unknown, file: string): unknown {
  const isPlaced = thrown instanceof FormatError && thrown.location.file !== undefined
  return thrown instanceof FormatError && !isPlaced
    ? new FormatError(thrown.message, { file })
    : thrown
}

/**
 * Returns all frames of the task, because files name them; only those of the job or ground truth accept annotations.
 */
async function targetFrames(
  { target, task_id, jobs, size, frames: chosen }: Facts,
  { services }: OperationDeps,
  context: CallContext,
): Promise<TargetFrames> {
  const media = await services.media.getMediaFacts({ task_id: task_id ?? 0 }, context)
  const frames: TargetFrame[] = []
  const range = { task_id: task_id ?? 0, start: 0, stop: size - 1 }
  const { chunks } = await services.media.readFrames(range, context)
  for await (const batch of decodeFrames(chunks))
    for (const { name: path, width, height } of batch)
      frames.push({ frame: frames.length, path, width, height })
  const isChosen = new Set(chosen)
  const includes = (frame: number) =>
    chosen.length > 0
      ? isChosen.has(frame)
      : target === 'task' || jobs.some((job) => job.start_frame <= frame && frame <= job.stop_frame)
  const { start_frame, frame_filter, video_name } = media
  return {
    frames,
    start_frame,
    step: stepOf(frame_filter),
    is_video: video_name !== null,
    includes,
  }
}
