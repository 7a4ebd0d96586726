import { invalid } from '@reticle/kit/errors'

/** The frames of a target that may be named. */
export interface OwnFrames {
  target: 'task' | 'job'
  has: (frame: number) => boolean
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
  own: OwnFrames,
): number[] {
  assertOwn(wanted, own)
  const outside = present.filter((frame) => !own.has(frame))
  return [...outside, ...wanted].sort((one, other) => one - other)
}

/**
 * The disabled frames of ground truth after the frames that its job shows as deleted were replaced. A frame that is shown
 * because the task deleted it does not become disabled by being sent back.
 *
 * @param deleted those of the task
 * @throws DomainError invalid for a frame that the ground truth does not have
 */
export function replaceDisabled(
  present: readonly number[],
  wanted: readonly number[],
  { deleted, ...own }: OwnFrames & { deleted: readonly number[] },
): number[] {
  assertOwn(wanted, own)
  return wanted.filter((frame) => present.includes(frame) || !deleted.includes(frame))
}

function assertOwn(wanted: readonly number[], { target, has }: OwnFrames): void {
  const unknown = wanted.find((frame) => !has(frame))
  if (unknown !== undefined)
    throw invalid({ deleted_frames: `The frame ${unknown} is not in this ${target}.` })
}

/** Both ascending. */
export const isSameList = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((frame, index) => frame === other[index])
