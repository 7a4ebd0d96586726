import {
  type Chapter,
  type DataMeta,
  type FrameMeta,
  type FrameSource,
  relatedFiles,
} from '@reticle/contracts/rest/media'
import { stepOf } from '@reticle/contracts/rest/sources'
import type { DataSetRow, FrameRow } from '../db/schema.ts'

/** Converts a row of a frame to the form that services exchange. */
export function toFrameSource({ task_id: _, frame: _number, ...row }: FrameRow): FrameSource {
  return withRelated(row)
}

/** Converts null to an absent field, and parses the related files. */
export function withRelated<R extends Pick<FrameRow, 'related'>>({ related, ...row }: R) {
  const found = related === null ? undefined : relatedFiles.parse(related)
  return { ...row, ...(found && { related: found }) }
}

/** Returns the number of a task's frame in its source. */
const sourceNumber = ({ start_frame, frame_filter }: DataSetRow, frame: number) =>
  start_frame + frame * stepOf(frame_filter)

/** Converts the media of a task, or of the part of a job, to its meta record. */
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

/** All frames of a video have the size of the first, so one entry describes them. */
function videoMeta(name: string, frames: readonly FrameRow[]): FrameMeta[] {
  return frames.slice(0, 1).map((first) => ({ ...toFrameMeta(first), name }))
}

/** Returns the chapters that overlap these frames, cut to them; null without any. */
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

/**
 * Converts the meta of a task to that of a ground-truth job: frames keep their places in the task, and names of other
 * frames are hidden.
 */
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

/** Returns the frames of ground truth that the task deleted and those that are disabled, ascending. */
function deletedOf(
  deleted: readonly number[],
  included: ReadonlySet<number>,
  disabled: readonly number[],
): number[] {
  const all = new Set([...deleted.filter((frame) => included.has(frame)), ...disabled])
  return [...all].sort((one, other) => one - other)
}
