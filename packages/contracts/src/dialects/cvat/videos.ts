import type { RecordFields } from '../record.ts'

/** Clients read single frames of a video if its original chunks are videos. */
export const originalChunks = ({
  mode,
  data_original_chunk_type: type,
}: RecordFields): RecordFields => {
  if (type === undefined) return {}
  return { data_original_chunk_type: mode === 'interpolation' ? 'video' : type }
}

/** Default overlap in frames of the jobs of a video. */
const usualOverlap = 5

/** Returns the overlap. For a video with one job it is the default that several jobs would have. */
export function overlapOf({ mode, overlap, size, segment_size }: RecordFields): unknown {
  const isOneJob = mode === 'interpolation' && Number(size) > 0 && segment_size === size
  if (!isOneJob || overlap !== 0) return overlap
  return Math.min(usualOverlap, Math.floor(Number(size) / 2))
}
