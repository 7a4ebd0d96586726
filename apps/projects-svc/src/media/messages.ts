import {
  type Chapter,
  type DataMeta,
  type FrameMeta,
  type FrameSource,
  relatedFiles,
} from '@reticle/contracts/rest/media'
import { stepOf } from '@reticle/contracts/rest/sources'
import type { DataSetRow, FrameRow } from '../db/schema.ts'

/** A stored frame as services tell each other of it. */
export function toFrameSource({ task_id: _, frame: _number, ...row }: FrameRow): FrameSource {
  return withRelated(row)
}

/** A row has none as null, a message leaves it out. */
export function withRelated<R extends Pick<FrameRow, 'related'>>({ related, ...row }: R) {
  const found = related === null ? undefined : relatedFiles.parse(related)
  return { ...row, ...(found && { related: found }) }
}

/** The number in the source of a frame of the task. */
const sourceNumber = ({ start_frame, frame_filter }: DataSetRow, frame: number) =>
  start_frame + frame * stepOf(frame_filter)

/** What is known of the media of a task, or of the part of a job (`spec/api-workspace.md` 4.7). */
export function toDataMeta(
  dataSet: DataSetRow,
  frames: readonly FrameRow[],
  chapters: readonly Chapter[],
): DataMeta {
  const first = frames[0]?.frame ?? 0
  return {
    chunk_size: dataSet.chunk_size,
    size: frames.length,
    image_quality: dataSet.image_quality,
    start_frame: sourceNumber(dataSet, first),
    stop_frame: sourceNumber(dataSet, first + frames.length - 1),
    frame_filter: dataSet.frame_filter,
    storage: dataSet.storage,
    cloud_storage_id: dataSet.cloud_storage_id,
    chapters: chaptersAmong(chapters, frames),
    chunks_updated_date: dataSet.chunks_updated_date.toISOString(),
    deleted_frames: deletedAmong(dataSet, frames),
    included_frames: null,
    frames:
      dataSet.video_name === null ? frames.map(toFrameMeta) : videoMeta(dataSet.video_name, frames),
  }
}

/** All frames of a video are as large as the first one, and are told of by one entry. */
function videoMeta(name: string, frames: readonly FrameRow[]): FrameMeta[] {
  return frames.slice(0, 1).map((first) => ({ ...toFrameMeta(first), name }))
}

/** Chapters that have some of these frames, cut to them; null where there are none. */
function chaptersAmong(
  chapters: readonly Chapter[],
  frames: readonly FrameRow[],
): Chapter[] | null {
  const [first, last] = [frames[0], frames.at(-1)]
  if (!first || !last) return null
  const among = chapters.filter(({ start, stop }) => start <= last.frame && stop >= first.frame)
  if (among.length === 0) return null
  return among.map(({ id, start, stop, metadata }) => ({
    id,
    start: Math.max(start, first.frame),
    stop: Math.min(stop, last.frame),
    metadata,
  }))
}

function deletedAmong({ deleted_frames }: DataSetRow, frames: readonly FrameRow[]): number[] {
  const [first, last] = [frames[0], frames.at(-1)]
  if (!first || !last) return []
  return deleted_frames.filter((frame) => frame >= first.frame && frame <= last.frame)
}

function toFrameMeta(row: FrameRow): FrameMeta {
  const { name, width, height, related } = withRelated(row)
  const related_files = related?.files.length ?? 0
  return { name, width, height, related_files, has_related_context: related_files > 0 }
}

/** The same of a ground-truth job: places are those of the task, and what is in others stays unknown. */
export function toChosenMeta(
  whole: DataMeta,
  dataSet: DataSetRow,
  { frames, disabled }: { frames: readonly number[]; disabled: readonly number[] },
): DataMeta {
  const included = new Set(frames)
  const shown = (frame: FrameMeta, number: number) =>
    included.has(number) ? frame : { ...frame, name: placeholder }
  return {
    ...whole,
    size: frames.length,
    deleted_frames: deletedOf(whole.deleted_frames, included, disabled),
    included_frames: frames.map((frame) => sourceNumber(dataSet, frame)),
    frames: dataSet.video_name === null ? whole.frames.map(shown) : whole.frames,
  }
}

const placeholder = 'placeholder.jpg'

/** Frames of ground truth that were deleted from the task, and those that do not count; ascending. */
function deletedOf(
  deleted: readonly number[],
  included: ReadonlySet<number>,
  disabled: readonly number[],
): number[] {
  const all = new Set([...deleted.filter((frame) => included.has(frame)), ...disabled])
  return [...all].sort((one, other) => one - other)
}
