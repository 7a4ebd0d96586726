import type { ShapeElement } from '@reticle/sdk'
import { outlinesOf } from '../geometry/shapes.ts'
import type { Edges } from '../geometry/skeleton.ts'
import type { Point } from '../geometry/view.ts'
import type { ObjectPiece } from './item.ts'
import type { FrameLabelNames } from './names.ts'

/** Element of a skeleton. */
export type SkeletonElement = Pick<
  ShapeElement,
  'label_id' | 'type' | 'points' | 'rotation' | 'occluded' | 'outside' | 'attributes'
>

interface Joint {
  label_id: number
  /** End point of edges. */
  at: Point
  pieces: ObjectPiece[]
}

/** Returns the visible elements in the colours of their sublabels. */
export function jointsOf(elements: readonly SkeletonElement[], names: FrameLabelNames): Joint[] {
  return elements
    .filter(({ outside }) => !outside)
    .map((element) => {
      const { color } = names.label(element.label_id)
      const pieces = outlinesOf(element).map((outline) => ({
        outline,
        color,
        isDashed: element.occluded,
      }))
      const [x = 0, y = 0] = element.points
      return { label_id: element.label_id, at: { x, y }, pieces }
    })
}

/** Returns the edges whose joints are both visible. */
export function skeletonPieces(
  joints: readonly Joint[],
  edges: Edges,
  color: string,
  isDashed: boolean,
): ObjectPiece[] {
  const positions = new Map(joints.map(({ label_id, at }) => [label_id, at]))
  return edges.flatMap(([one, other]) => {
    const [from, to] = [positions.get(one), positions.get(other)]
    if (!from || !to) return []
    const points = [from.x, from.y, to.x, to.y]
    return [{ outline: { form: 'line', points } as const, color, isDashed }]
  })
}
