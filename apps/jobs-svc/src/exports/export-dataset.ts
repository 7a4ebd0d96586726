import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '@reticle/formats/model/dataset'
import { createReport } from '@reticle/formats/report/conversion-report'
import type { CallContext } from '@reticle/kit'
import { formatLabels } from '../operations/format-labels.ts'
import type { OperationDeps } from '../operations/operation.ts'
import { writeArchive } from '../operations/write-archive.ts'
import { exporterOf } from '../work/format-lookup.ts'
import { toReport } from '../work/report.ts'
import type { ExportWork, OperationOutcome } from '../work/request-work.ts'
import { contextOf } from '../work/request-work.ts'
import { aboutProject } from './about.ts'
import { noteDeletedTracks } from './deleted-tracks.ts'
import { type ExportPart, readPart } from './export-part.ts'
import { type AssertLabel, createLabelCheck } from './known-labels.ts'
import { subsetsOf } from './subsets.ts'

/** Share of the work done when the rows are read and the conversion starts. */
const rowsShare = 0.2

/**
 * Writes the annotations of a project, task or job as an archive of the format into the blob store, optionally with
 * images. The annotations of each task are read from one snapshot.
 */
export async function exportDataset(
  work: ExportWork,
  deps: OperationDeps,
): Promise<OperationOutcome> {
  const { services, signal } = deps
  const context = contextOf(work, signal)
  const { target, target_id, task_id, params } = work
  deps.progress(0, 'Reading annotations')
  const { labels } = await services.labels.getLabelSet(
    target === 'project' ? { target, id: target_id } : { target: 'task', id: task_id ?? 0 },
    context,
  )
  const parts = await readParts(work, createLabelCheck(labels), deps, context)

  deps.progress(rowsShare, 'Writing the archive')
  const dataset: Dataset = {
    labels: formatLabels(labels),
    subsets: subsetsOf(parts),
    saveImages: params.save_images,
    about: await aboutDataset(work, services, context),
  }
  let report = createReport()
  const items_total = parts.reduce((sum, { frames }) => sum + frames.length, 0)
  const progress = (share: number) => {
    const items_done = Math.round(share * items_total)
    const whole = rowsShare + (1 - rowsShare) * share
    deps.progress(whole, 'Writing the archive', { items_done, items_total })
  }
  const files = () => {
    report = createReport()
    noteDeletedTracks(
      report,
      labels,
      parts.map((part) => part.deletedTracks),
    )
    return exporterOf(params.format).exportDataset(dataset, { report, signal, progress })
  }
  const result = await writeArchive(work, deps, files)
  return { report: toReport(report), result, result_id: null }
}

async function aboutDataset(
  { target, target_id: id, created_date }: ExportWork,
  { projects }: OperationDeps['services'],
  context: CallContext,
): Promise<Dataset['about']> {
  const dumped = created_date.toISOString()
  if (target !== 'project') return { target, dumped }
  const project = aboutProject(await projects.getProject({ id }, context), context)
  return { target, project, dumped }
}

/** Reads the task or job, or all tasks of a project that have media, by id. */
async function readParts(
  { target, target_id: id, params: { only } }: ExportWork,
  assertLabel: AssertLabel,
  deps: OperationDeps,
  context: CallContext,
): Promise<ExportPart[]> {
  const { services, tmpDir, progress } = deps
  const wanted = { only, assertLabel }
  if (target !== 'project')
    return [await readPart({ ...wanted, target, id, tmpDir }, deps, context)]
  const query = { project_id: id, sort: 'id', page_size: 'all' }
  const { results } = await services.tasks.listTasks(query, context)
  const tasks = results.filter((task) => task.size > 0)
  const parts: ExportPart[] = []
  for (const [index, { id: task_id }] of tasks.entries()) {
    const own = join(tmpDir, String(task_id))
    await mkdir(own)
    parts.push(
      await readPart({ ...wanted, target: 'task', id: task_id, tmpDir: own }, deps, context),
    )
    progress((rowsShare * (index + 1)) / tasks.length, 'Reading annotations')
  }
  return parts
}
