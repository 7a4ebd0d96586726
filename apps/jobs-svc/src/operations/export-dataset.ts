import { decodeFrames } from '@reticle/contracts/frame-lines'
import type { Track } from '@reticle/contracts/rest/annotations'
import type { Facts } from '@reticle/contracts/rest/facts'
import type { FrameSource } from '@reticle/contracts/rest/media'
import type { RowKind } from '@reticle/contracts/row-lines'
import { writeZip } from '@reticle/formats/archive/zip-writer'
import type { Dataset, Item, ItemFrame } from '@reticle/formats/model'
import { createReport } from '@reticle/formats/report'
import { itemsOf } from '@reticle/formats/tracks'
import type { Context } from '@reticle/kit'
import { exporterOf } from '../formats/lookup.ts'
import { isUndecodable, readSource } from '../frames/source.ts'
import type { ExportWork, Outcome } from '../requests/work.ts'
import { formatLabels } from './format-labels.ts'
import { fromRows } from './from-rows.ts'
import { contextOf, type OperationDeps, UnusableInput } from './operation.ts'
import { toReport } from './report.ts'
import { resultKey } from './result-key.ts'
import { type Staged, stageRows } from './staging.ts'

/** Share of the work after which the rows are here and the conversion begins. */
const rowsShare = 0.2

/**
 * Writes the annotations of a task or job, with the pictures where wanted, as an archive of the format into the blob
 * store. All annotations come from one snapshot. Memory does not grow with them: rows wait in a temporary file.
 */
export async function exportDataset(work: ExportWork, deps: OperationDeps): Promise<Outcome> {
  const { blobs, services, signal, tmpDir } = deps
  const context = contextOf(work, signal)
  const { target, target_id: id, task_id, params } = work
  deps.progress(0, 'Reading annotations')
  const facts = await services.tasks.authorize({ target, id, action: 'export' }, context)
  const { labels } = await services.labels.getLabelSet({ target: 'task', id: task_id }, context)
  const deleted = await services.media.getDeletedFrames({ task_id }, context)
  const deletedFrames = new Set(deleted.frames)
  const all = await itemFrames(facts, deps, context)
  const frames = all.filter(({ frame }) => !deletedFrames.has(frame))
  const { chunks } = await services.annotations.readRows({ target, id }, context)
  const rows = await stageRows(tmpDir, chunks, signal)

  deps.progress(rowsShare, 'Writing the archive')
  const subset = {
    name: facts.subset || defaultSubset,
    frames,
    items: () => readItems(rows, { frames, deletedFrames }, facts),
  }
  const dataset: Dataset = {
    labels: formatLabels(labels),
    subsets: [subset],
    saveImages: params.save_images,
  }
  const report = createReport()
  const progress = (share: number) =>
    deps.progress(rowsShare + (1 - rowsShare) * share, 'Writing the archive')
  const files = exporterOf(params.format).exportDataset(dataset, { report, signal, progress })
  const key = resultKey(work)
  const { size } = await blobs.put(key, writeZip(files, work.created_date), { signal })
  return { report: toReport(report), result: { key, size }, result_id: null }
}

/** What formats call the part of a dataset that has no name. */
const defaultSubset = 'default'

async function itemFrames(
  { task_id, jobs, target, size, frames: chosen }: Facts,
  { services, blobs }: OperationDeps,
  context: Context,
): Promise<ItemFrame[]> {
  const [job] = jobs
  const isJob = target === 'job' && job !== undefined
  const start = isJob ? job.start_frame : 0
  const range = { task_id: task_id ?? 0, start, stop: isJob ? job.stop_frame : size - 1 }
  const frames: ItemFrame[] = []
  const { chunks } = await services.media.readFrames(range, context)
  for await (const batch of decodeFrames(chunks))
    for (const source of batch) frames.push(itemFrame(start + frames.length, source, blobs))
  if (chosen.length === 0) return frames
  const isChosen = new Set(chosen)
  return frames.filter(({ frame }) => isChosen.has(frame))
}

function itemFrame(frame: number, source: FrameSource, blobs: OperationDeps['blobs']): ItemFrame {
  const { width, height } = source
  const path = source.packing === 'video' ? `${source.name}.PNG` : source.name // spec/formats.md 4.2
  return { frame, path, width, height, image: () => readImage(blobs, source) }
}

/** A member of an archive may be broken behind its head, which was all that was looked at when it was uploaded. */
async function* readImage(
  blobs: OperationDeps['blobs'],
  source: FrameSource,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readSource(blobs, source)
  } catch (thrown) {
    throw isUndecodable(thrown)
      ? new UnusableInput(`${source.name}: the image cannot be unpacked`)
      : thrown
  }
}

function readItems(
  rows: Record<RowKind, Staged>,
  { frames, deletedFrames }: { frames: readonly ItemFrame[]; deletedFrames: ReadonlySet<number> },
  { jobs }: Facts,
): AsyncIterable<Item> {
  const annotations = fromRows(rows, (track) => stopFrame(track, jobs))
  return itemsOf(frames, annotations, { deletedFrames })
}

/** A track reaches no further than the job that its last keyframe is in. */
function stopFrame({ shapes, frame }: Track, jobs: Facts['jobs']): number | undefined {
  const last = shapes.at(-1)?.frame ?? frame
  return jobs.find((job) => job.start_frame <= last && last <= job.stop_frame)?.stop_frame
}
