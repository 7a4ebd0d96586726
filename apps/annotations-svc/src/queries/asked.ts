import type { AnnotationFilter, FrameSpan } from '@reticle/contracts/rest/annotation-query'
import type { Context } from '@reticle/kit'
import type { Deps } from '../deps.ts'
import { isSpatial, type Target } from '../targets/target.ts'
import { common, type Spans, spansOf, without } from './spans.ts'

/** What a GET may be asked, as it is sent. */
export interface SetQuery {
  /** Ascending; none: all. */
  frames: FrameSpan[]
  /** None: all. */
  label_id: number[]
  filter?: AnnotationFilter | undefined
  interpolate?: boolean | undefined
}

/** Which objects of a target are asked for, and as what. */
export interface Asked {
  /** Those that the target has; absent: objects of all frames. */
  frames?: Spans
  label_id: readonly number[]
  filter?: AnnotationFilter | undefined
  /** Set when tracks become positions. */
  interpolation?: Interpolation
}

export interface Interpolation {
  /** The frames that get positions: none is deleted. */
  frames: Spans
  /** Cuboids of point clouds. */
  is3d: boolean
}

export const everything: Asked = { label_id: [] }

export const isEverything = ({ frames, label_id, filter, interpolation }: Asked) =>
  !frames && label_id.length === 0 && !filter && !interpolation

/** What a query asks of a target. */
export async function ask(
  { services }: Pick<Deps, 'services'>,
  target: Target,
  { frames, label_id, filter, interpolate }: SetQuery,
  context: Context,
): Promise<Asked> {
  const all = spansOf(target)
  const wanted = frames.length > 0 ? common(frames, all) : undefined
  const asked = { label_id, filter, ...(wanted && { frames: wanted }) }
  if (!interpolate) return asked
  const deleted = await services.media.getDeletedFrames(deletedOf(target), context)
  const interpolation = {
    frames: without(wanted ?? all, deleted.frames),
    is3d: isSpatial(target),
  }
  return { ...asked, interpolation }
}

/** Of a job of ground truth also the frames that it does not count. */
const deletedOf = ({ kind, id, task_id }: Target) => ({
  task_id,
  job_id: kind === 'job' ? id : undefined,
})
