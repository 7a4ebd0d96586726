import type { LocatedChunk } from '@reticle/contracts/rest/facts'
import { invalidText } from '@reticle/kit/call/errors'
import type { Viewed } from './viewed.ts'

type Frames = Pick<LocatedChunk, 'start' | 'stop' | 'chosen' | 'has_placeholders'>

/** Number or index of a chunk. */
export interface ChunkPosition {
  /** Number of the chunk, counted from the start of the task. */
  number?: number
  /** Index of the chunk, counted from the first frame of the job. */
  index?: number
}

/**
 * Returns the frames of a chunk. Number c of a task is [c·chunk_size, (c+1)·chunk_size−1]; of a job it is the part of
 * these in the job. Index i counts chunks among the frames of the job. A chunk by number of a ground-truth job is as
 * long as that of the task, so that a frame keeps its place in it.
 *
 * @throws DomainError invalid for a chunk without frames
 */
export function framesOfChunk(
  viewed: Viewed,
  chunk_size: number,
  { number, index = 0 }: ChunkPosition,
): Frames {
  return number === undefined
    ? chunkOfJob(viewed, chunk_size, index)
    : chunkOfTask(viewed, chunk_size, number)
}

function chunkOfTask({ start, stop, chosen }: Viewed, chunk_size: number, number: number): Frames {
  const first = Math.max(start, number * chunk_size)
  const last = Math.min(stop, (number + 1) * chunk_size - 1)
  const none = () =>
    invalidText(
      `The chunk with the number ${number} is not here: there are the numbers ${Math.floor(start / chunk_size)} to ${Math.floor(stop / chunk_size)}`,
    )
  if (number < 0 || first > last) throw none()
  if (!chosen) return { start: first, stop: last }
  const frames = chosen.frames.filter((frame) => frame >= first && frame <= last)
  return { start: first, stop: last, chosen: { frames }, has_placeholders: true }
}

function chunkOfJob({ start, stop, chosen }: Viewed, chunk_size: number, index: number): Frames {
  const count = chosen ? chosen.frames.length : stop - start + 1
  const from = index * chunk_size
  if (index < 0 || from >= count)
    throw invalidText(
      `The chunk with the index ${index} is not in this job: it has the indices 0 to ${Math.floor((count - 1) / chunk_size)}`,
    )
  if (chosen) return some(chosen.frames.slice(from, from + chunk_size))
  return { start: start + from, stop: Math.min(start + from + chunk_size - 1, stop) }
}

/** Returns a list of at least one frame that need not be consecutive. */
function some(frames: readonly number[]): Frames {
  const [start = 0] = frames
  return { start, stop: frames.at(-1) ?? start, chosen: { frames: [...frames] } }
}
