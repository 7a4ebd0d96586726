import type { AnnotationFilter, FrameSpan } from '@reticle/contracts/rest/annotation-query'
import type { CallContext } from '@reticle/kit'
import type { Deps } from '../deps.ts'
import { type AnnotationTarget, isSpatial } from '../targets/target.ts'
import { common, excludeFrames, type Spans, spansOf } from './spans.ts'

/** Query of a GET, as it was sent. */
export interface SetQuery {
  /** Ascending; empty: all frames. */
  frames: FrameSpan[]
  /** Empty: all labels. */
  label_id: number[]
  filter?: AnnotationFilter | undefined
  interpolate?: boolean | undefined
}

/** Selection of the objects of a target, and the form of the response. */
export interface AnnotationQuery {
  /** Frames of the target to read; undefined: all. */
  frames?: Spans
  label_id: readonly number[]
  filter?: AnnotationFilter | undefined
  /** Set when tracks are returned as positions per frame. */
  interpolation?: Interpolation
}

export interface Interpolation {
  /** Frames that get positions; deleted frames are excluded. */
  frames: Spans
  /** Whether cuboids are those of point clouds. */
  is3d: boolean
}

export const everything: AnnotationQuery = { label_id: [] }

export const isEverything = ({ frames, label_id, filter, interpolation }: AnnotationQuery) =>
  !frames && label_id.length === 0 && !filter && !interpolation

/** Resolves a query for a target. */
export async function resolveQuery(
  { services }: Pick<Deps, 'services'>,
  target: AnnotationTarget,
  { frames, label_id, filter, interpolate }: SetQuery,
  context: CallContext,
): Promise<AnnotationQuery> {
  const all = spansOf(target)
  const requested = frames.length > 0 ? common(frames, all) : undefined
  const selection = { label_id, filter, ...(requested && { frames: requested }) }
  if (!interpolate) return selection
  const deleted = await services.media.getDeletedFrames(deletedOf(target), context)
  const interpolation = {
    frames: excludeFrames(requested ?? all, deleted.frames),
    is3d: isSpatial(target),
  }
  return { ...selection, interpolation }
}

/** For a ground-truth job the deleted frames include the frames that it does not count. */
const deletedOf = ({ kind, id, task_id }: AnnotationTarget) => ({
  task_id,
  job_id: kind === 'job' ? id : undefined,
})
