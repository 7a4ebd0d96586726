import { randomInt } from 'node:crypto'
import type { FrameSelection } from '@reticle/contracts/rest/validation'
import { invalid } from '@reticle/kit/call/errors'

/** Frames and jobs that a selection chooses from. */
export interface Choice {
  /** Number of frames of the task. */
  size: number
  /** Annotation jobs in id order; frames are relative to the task, and ranges inclusive. */
  jobs: readonly { start_frame: number; stop_frame: number }[]
}

/**
 * Returns the frames of a ground-truth job, ascending.
 *
 * @throws DomainError invalid naming the key that exceeds the available frames
 */
export function selectFrames(selection: FrameSelection, choice: Choice): number[] {
  if (selection.frame_selection_method === 'manual') return chosen(selection.frames ?? [], choice)
  const draw = createDraw(selection.random_seed ?? randomInt(2 ** 31))
  return selection.frame_selection_method === 'random_uniform'
    ? drawnFromAll(selection, choice, draw)
    : drawnFromJobs(selection, choice, draw)
}

function chosen(frames: readonly number[], { size }: Choice): number[] {
  const unknown = frames.find((frame) => frame < 0 || frame >= size)
  if (unknown !== undefined)
    throw invalid({ frames: `The task has no frame ${unknown}, only 0 to ${size - 1}.` })
  return [...frames].sort((a, b) => a - b)
}

function drawnFromAll(
  { frame_count, frame_share }: FrameSelection,
  { size }: Choice,
  draw: Draw,
): number[] {
  const count = amountOf(size, frame_count, frame_share)
  if (count > size)
    throw invalid({ frame_count: `The task has only ${size} frames to choose from.` })
  return draw(count, 0, size - 1)
}

/**
 * A share is taken of the job size of the task, also for a shorter last job. Each job gets that many frames, or all
 * of its frames if it has fewer. Chosen frames shared with an earlier job count, so only the missing ones are drawn.
 */
function drawnFromJobs(
  { frames_per_job_count, frames_per_job_share }: FrameSelection,
  { jobs }: Choice,
  draw: Draw,
): number[] {
  const sizeOf = (job: Choice['jobs'][number]) => job.stop_frame - job.start_frame + 1
  const jobSize = jobs.reduce((size, job) => Math.max(size, sizeOf(job)), 0)
  const count = amountOf(jobSize, frames_per_job_count, frames_per_job_share)
  if (count > jobSize)
    throw invalid({ frames_per_job_count: `No job has more than ${jobSize} frames.` })
  const chosen: number[] = []
  let next = 0
  for (const job of jobs) {
    const shared = chosen.filter((frame) => frame >= job.start_frame && frame <= job.stop_frame)
    const from = Math.max(job.start_frame, next)
    const left = Math.max(0, job.stop_frame - from + 1)
    next = from + left
    const missing = Math.max(0, Math.min(count, sizeOf(job)) - shared.length)
    chosen.push(...draw(Math.min(missing, left), from, job.stop_frame))
  }
  return chosen
}

/** A share is at least one frame. */
function amountOf(size: number, count?: number | null, share?: number | null): number {
  return count ?? Math.max(1, Math.floor((share ?? 0) * size))
}

/** Draws `count` distinct numbers from `from` to `to` (inclusive), ascending. */
type Draw = (count: number, from: number, to: number) => number[]

/**
 * Returns a seeded draw. A seed gives the same sequence on every machine and in every release, because users repeat a
 * selection by its seed.
 */
export function createDraw(seed: number): Draw {
  const next = numbersOf(seed)
  return (count, from, to) => {
    const drawn = new Set<number>()
    const size = to - from + 1
    // Floyd's sampling: for each new place take the drawn place, or the new place itself when that was drawn before.
    for (let last = size - count; last < size; last++) {
      const place = Math.floor(next() * (last + 1))
      drawn.add(drawn.has(place) ? last : place)
    }
    return [...drawn].map((place) => from + place).sort((a, b) => a - b)
  }
}

/** Returns a generator of 32-bit numbers from 0 up to but without 1 (mulberry32, public domain). */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
