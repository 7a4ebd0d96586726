import { invalid } from '@reticle/kit/call/errors'

/** Frames that belong to a target. */
export interface OwnFrames {
  target: 'task' | 'job'
  has: (frame: number) => boolean
}

/**
 * Replaces the deleted frames of a task, or only those within one of its jobs.
 *
 * @param present ascending, like the result
 * @throws DomainError invalid for a frame outside the target
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
 * Replaces the disabled frames of ground truth by the frames that its job should show as deleted. A frame shown only
 * because the task deleted it stays enabled when it is sent back.
 *
 * @param deleted deleted frames of the task
 * @throws DomainError invalid for a frame outside the ground truth
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

/** Compares two ascending lists. */
export const isSameList = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((frame, index) => frame === other[index])
