import { invalid } from '@reticle/kit/errors'

/** The frames of a target: those that may be named, and which of them are left out for another reason. */
export interface OwnFrames {
  target: 'task' | 'job'
  has: (frame: number) => boolean
  /** Of ground truth: frames that do not count are shown as deleted, and are not deleted by being named again. */
  disabled?: ReadonlySet<number>
}

/**
 * The deleted frames of a task after those of one of its jobs, or all of them, were replaced (`spec/api-workspace.md` 4.7).
 *
 * @param present ascending, like the answer
 * @throws DomainError invalid for a frame that the target does not have
 */
export function replaceDeleted(
  present: readonly number[],
  wanted: readonly number[],
  { target, has, disabled }: OwnFrames,
): number[] {
  const unknown = wanted.find((frame) => !has(frame))
  if (unknown !== undefined)
    throw invalid({ deleted_frames: `The frame ${unknown} is not in this ${target}.` })
  const before = new Set(present)
  const outside = present.filter((frame) => !has(frame))
  const inside = wanted.filter((frame) => before.has(frame) || !disabled?.has(frame))
  return [...outside, ...inside].sort((one, other) => one - other)
}

/** Both ascending. */
export const isSameList = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((frame, index) => frame === other[index])
