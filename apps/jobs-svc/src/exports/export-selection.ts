import type { FrameSpan } from '@reticle/contracts/rest/annotation-query'
import type { Exported } from '@reticle/contracts/rest/requests'
import type { DatasetItem, DatasetTrack, ItemFrame } from '@reticle/formats/model/dataset'
import type { AnnotationStreams } from '@reticle/formats/tracks/dataset-items'
import type { CallContext } from '@reticle/kit'
import type { OperationServices } from '../operations/operation.ts'

/**
 * Selection of the exported content of a task or job. It is applied before the format, so that all formats select
 * alike.
 */

/** Returns the selected frames, regardless of their annotations. */
export async function selectExportFrames(
  frames: readonly ItemFrame[],
  { only, task_id }: { only: Exported; task_id: number },
  { jobs }: Pick<OperationServices, 'jobs'>,
  context: CallContext,
): Promise<ItemFrame[]> {
  const { job_state: state } = only
  const ofJobs =
    state &&
    (await jobs.listJobs({ task_id, state, type: 'annotation', page_size: 'all' }, context))
  const spans = ofJobs?.results.map((job) => ({ first: job.start_frame, last: job.stop_frame }))
  const isSelected = (frame: number) =>
    (only.frames.length === 0 || isWithin(only.frames, frame)) &&
    (spans === undefined || isWithin(spans, frame))
  return frames.filter(({ frame }) => isSelected(frame))
}

const isWithin = (spans: readonly FrameSpan[], frame: number) =>
  spans.some(({ first, last }) => first <= frame && frame <= last)

/** Filters the annotations by label and score. Elements of skeletons are kept with their skeleton. */
export function selectExportAnnotations(
  { tags, shapes, tracks }: AnnotationStreams,
  { label_id, min_score }: Exported,
): AnnotationStreams {
  const labels = new Set(label_id)
  const isLabelled = (one: { label_id: number }) => labels.size === 0 || labels.has(one.label_id)
  const isSure = ({ score }: { score: number }) => min_score === undefined || score >= min_score
  return {
    tags: filterBatches(tags, isLabelled),
    shapes: filterBatches(shapes, (shape) => isLabelled(shape) && isSure(shape)),
    tracks: filterTracks(tracks, isLabelled),
  }
}

async function* filterBatches<T>(
  batches: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
  isSelected: (one: T) => boolean,
): AsyncGenerator<T[]> {
  for await (const batch of batches) yield batch.filter(isSelected)
}

async function* filterTracks(
  tracks: AnnotationStreams['tracks'],
  isSelected: (track: DatasetTrack) => boolean,
): AsyncGenerator<DatasetTrack> {
  for await (const track of tracks) if (isSelected(track)) yield track
}

/** Returns the frames for which `items` contain an annotation. */
export async function shownFrames(
  frames: readonly ItemFrame[],
  items: AsyncIterable<DatasetItem>,
  signal: AbortSignal,
): Promise<ItemFrame[]> {
  const shown: ItemFrame[] = []
  for await (const { index } of items) {
    signal.throwIfAborted()
    const frame = frames[index]
    if (frame) shown.push(frame)
  }
  return shown
}
