import type { ConversionRun, FileDataset } from '@reticle/formats/model/dataset'
import { createReport, type ReportWriter } from '@reticle/formats/report/conversion-report'
import { FormatError } from '@reticle/formats/report/errors'
import type { OperationDeps } from '../operations/operation.ts'
import { openArchive } from '../operations/sources/archives.ts'
import { toSourceFile } from '../operations/sources/source-listing.ts'
import { blobSource } from '../storage/stored-file.ts'
import { importerOf } from '../work/format-lookup.ts'
import { toReport, withReport } from '../work/report.ts'
import type { ImportDatasetWork, OperationOutcome } from '../work/request-work.ts'
import { contextOf } from '../work/request-work.ts'
import { asDraft } from './draft.ts'
import { fetchDatasetFile } from './fetch-dataset-file.ts'
import { namingFile } from './import-annotations.ts'
import { type Created, importSubset } from './import-subset.ts'
import { labelItems } from './label-items.ts'

/** Creates a task for each subset of an archive, with its images, annotations and labels: all or nothing. */
export function importDataset(
  work: ImportDatasetWork,
  deps: OperationDeps,
): Promise<OperationOutcome> {
  return withReport((report) => makeTasks(work, deps, report))
}

async function makeTasks(
  work: ImportDatasetWork,
  deps: OperationDeps,
  report: ReportWriter,
): Promise<OperationOutcome> {
  const { services, blobs, signal } = deps
  const { target_id: project_id, params, request_uuid } = work
  const context = contextOf(work, signal)
  deps.progress(0, 'Reading the file')
  const project = { target: 'project', id: project_id } as const
  await services.tasks.authorize({ ...project, action: 'import' }, context)
  const file = await fetchDatasetFile(work, deps, context)
  const { conv_mask_to_poly } = params
  const rest = { signal, conv_mask_to_poly, archiveLimits: deps.limits }
  const run: ConversionRun = { report, progress: () => undefined, ...rest }
  const dataset = await open(params.format, blobSource(blobs, file), run).catch((thrown) => {
    throw namingFile(thrown, file.name)
  })
  const listing = await openArchive(
    toSourceFile(file.name, file.key, file.size),
    { is: 'zip' },
    // The import of the annotations has already reported the faults of the archive.
    { ...deps, report: createReport(), prefix: '' },
  )
  const { labels: current } = await services.labels.getLabelSet(project, context)
  const draftRequest = { request_uuid, isTried: params.dry_run }
  const { made: created } = await asDraft(draftRequest, deps, context, async (draft_id) => {
    const body = { draft_id, project_id, labels: labelItems(dataset.labels, current) }
    const { labels } = await services.tasks.openDraft({ body }, context)
    return importAll(dataset, { work, draft_id, file, listing, labels, run }, deps)
  })
  return { report: { ...toReport(run.report), created }, result: null, result_id: null }
}

function open(format: string, source: ReturnType<typeof blobSource>, run: ConversionRun) {
  const { openDataset } = importerOf(format)
  if (!openDataset) throw new FormatError(`the format '${format}' has no images`)
  return openDataset(source, run)
}

type SubsetDeps = Omit<Parameters<typeof importSubset>[1], 'progress'>

async function importAll(
  { subsets }: FileDataset,
  subsetDeps: SubsetDeps,
  deps: OperationDeps,
): Promise<Created> {
  const total: Created = { tags: 0, shapes: 0, tracks: 0 }
  for (const [index, subset] of subsets.entries()) {
    const progress = (share: number, stage: string) =>
      deps.progress(
        (0.95 * (index + share)) / subsets.length,
        subsets.length === 1 ? stage : `${stage} of ${subset.name}`,
        { items_done: index, items_total: subsets.length },
      )
    const created = await importSubset(subset, { ...subsetDeps, progress }, deps)
    for (const kind of ['tags', 'shapes', 'tracks'] as const) total[kind] += created[kind]
  }
  return total
}
