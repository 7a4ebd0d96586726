import { stepOf } from '@reticle/contracts/rest/sources'
import type { CreateWork } from '../../work/request-work.ts'

/** Selection of the source frames that a task has. */
export interface Selection {
  isAll: boolean
  /** Returns whether the frame with this number of the source is selected. */
  has: (number: number) => boolean
  /** Returns whether no frame from this number on is selected. */
  isOver: (number: number) => boolean
}

export const everyFrame: Selection = { isAll: true, has: () => true, isOver: () => false }

type SelectionParams = Pick<CreateWork['params'], 'start_frame' | 'stop_frame' | 'frame_filter'>

export function selectionOf({ start_frame, stop_frame, frame_filter }: SelectionParams): Selection {
  const step = stepOf(frame_filter)
  const last = stop_frame ?? Number.POSITIVE_INFINITY
  return {
    isAll: start_frame === 0 && step === 1 && stop_frame === null,
    has: (number) => number >= start_frame && number <= last && (number - start_frame) % step === 0,
    isOver: (number) => number > last,
  }
}
