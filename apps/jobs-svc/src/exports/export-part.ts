import { decodeFrames } from '@reticle/contracts/frame-lines'
import type { Track } from '@reticle/contracts/rest/annotations'
import type { Facts } from '@reticle/contracts/rest/facts'
import type { FrameSource } from '@reticle/contracts/rest/media'
import type { Exported } from '@reticle/contracts/rest/requests'
import type { DatasetItem, ItemFrame } from '@reticle/formats/model/dataset'
import type { TaskDetails } from '@reticle/formats/model/task-details'
import {
  type AnnotationStreams,
  type ItemOptions,
  itemsOf,
} from '@reticle/formats/tracks/dataset-items'
import type { CallContext } from '@reticle/kit'
import { sourceKey } from '../media/frames/source.ts'
import type { OperationDeps } from '../operations/operation.ts'
import { stageRows } from '../operations/staging.ts'
import { aboutPart } from './about.ts'
import { type DeletedTracks, findDeletedTracks } from './deleted-tracks.ts'
import { selectExportAnnotations, selectExportFrames, shownFrames } from './export-selection.ts'
import { fromRows, storedTracks } from './from-rows.ts'
import type { AssertLabel } from './known-labels.ts'
import { readUpright } from './upright.ts'

/** Content of one task or job to export. */
export interface ExportPart {
  /** Subset of its task; empty for none. */
  subset: string
  frames: readonly ItemFrame[]
  /** Upper limit of its number of tracks. */
  tracks: number
  /** Reads the annotations by frame, optionally without tracks; may be called repeatedly. */
  items: (
    options?: Pick<ItemOptions, 'firstIndex' | 'firstTrackId'>,
    withTracks?: boolean,
  ) => AsyncIterable<DatasetItem>
  /** Reads the selected tracks as stored. */
  stored: () => AnnotationStreams['tracks']
  about: TaskDetails
  deletedFrames: ReadonlySet<number>
  deletedTracks: DeletedTracks
}

interface Wanted {
  target: 'task' | 'job'
  id: number
  only: Exported
  assertLabel: AssertLabel
  /** Temporary folder of this part. */
  tmpDir: string
}

/**
 * Reads the selected content of a task or job from one snapshot. Stages the rows in a temporary file, so that memory
 * does not grow with the annotations.
 */
export async function readPart(
  { target, id, only, assertLabel, tmpDir }: Wanted,
  deps: OperationDeps,
  context: CallContext,
): Promise<ExportPart> {
  const { services, signal } = deps
  const facts = await services.tasks.authorize({ target, id, action: 'export' }, context)
  const task_id = facts.task_id ?? 0
  const deleted = await services.media.getDeletedFrames(
    { task_id, job_id: facts.job_id ?? undefined },
    context,
  )
  const deletedFrames = new Set(deleted.frames)
  const all = await itemFrames(facts, deps, context)
  const present = all.filter(({ frame }) => !deletedFrames.has(frame))
  const selectedFrames = await selectExportFrames(present, { only, task_id }, services, context)
  const { chunks } = await services.annotations.readRows({ target, id }, context)
  const rows = await stageRows(tmpDir, chunks, signal)
  const streams = () =>
    selectExportAnnotations(
      fromRows(rows, { stopFrame: (track) => stopFrame(track, facts.jobs), assertLabel }),
      only,
    )
  const itemsOn = (frames: readonly ItemFrame[], options: ItemOptions = {}, withTracks = true) => {
    const all = streams()
    const own = withTracks ? all : { ...all, tracks: [] }
    return itemsOf(frames, own, options)
  }
  const frames = only.only_annotated
    ? await shownFrames(selectedFrames, itemsOn(selectedFrames), signal)
    : selectedFrames
  return {
    subset: facts.subset,
    frames,
    tracks: rows.track.lines,
    items: (options, withTracks) => itemsOn(frames, options, withTracks),
    stored: () => streams().tracks,
    about: await aboutPart(facts, all[0], services, context),
    deletedFrames,
    deletedTracks: await findDeletedTracks({
      tracks: storedTracks(rows.track, only.label_id),
      present: present.map(({ frame }) => frame),
      deleted: new Set(all.map(({ frame }) => frame).filter((frame) => deletedFrames.has(frame))),
      stopFrame: (track) => stopFrame(track, facts.jobs) ?? all.at(-1)?.frame ?? 0,
    }),
  }
}

async function itemFrames(
  { task_id, jobs, target, size, frames: chosen }: Facts,
  { services, blobs }: OperationDeps,
  context: CallContext,
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
  const path = source.packing === 'video' ? `${source.name}.PNG` : source.name // a frame of a video gets a file name ending
  const bytes = { source: sourceKey(source), image: () => readUpright(blobs, source) }
  return { frame, path, width, height, ...bytes }
}

/**
 * Returns the last frame of the job that contains the last keyframe of a track; if several jobs do, of the last one.
 */
function stopFrame({ shapes, frame }: Track, jobs: Facts['jobs']): number | undefined {
  const last = shapes.at(-1)?.frame ?? frame
  return jobs.findLast((job) => job.start_frame <= last && last <= job.stop_frame)?.stop_frame
}
