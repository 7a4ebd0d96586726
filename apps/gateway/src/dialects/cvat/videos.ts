import type { Fields } from '../dialect.ts'

/** Frames of a video are read one by one there where the original chunks are videos. */
export const originalChunks = ({ mode, data_original_chunk_type: type }: Fields): Fields => {
  if (type === undefined) return {}
  return { data_original_chunk_type: mode === 'interpolation' ? 'video' : type }
}

/** Frames that jobs of a video share unless the task says otherwise. */
const usualOverlap = 5

/** A video with one job has the overlap there that several jobs of it would have. */
export function overlapOf({ mode, overlap, size, segment_size }: Fields): unknown {
  const isOneJob = mode === 'interpolation' && Number(size) > 0 && segment_size === size
  if (!isOneJob || overlap !== 0) return overlap
  return Math.min(usualOverlap, Math.floor(Number(size) / 2))
}
