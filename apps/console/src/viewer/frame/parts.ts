import type { ShapeElement } from '@reticle/sdk'
import { outlinesOf } from '../geometry/shapes.ts'
import type { Edges } from '../geometry/skeleton.ts'
import type { Point } from '../geometry/view.ts'
import type { Piece } from './item.ts'
import type { Names } from './names.ts'

/** Element of a skeleton. */
export type Part = Pick<
  ShapeElement,
  'label_id' | 'type' | 'points' | 'rotation' | 'occluded' | 'outside' | 'attributes'
>

interface Joint {
  label_id: number
  /** End point of edges. */
  at: Point
  pieces: Piece[]
}

/** Returns the visible elements in the colours of their sublabels. */
export function jointsOf(elements: readonly Part[], names: Names): Joint[] {
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
): Piece[] {
  const places = new Map(joints.map(({ label_id, at }) => [label_id, at]))
  return edges.flatMap(([one, other]) => {
    const [from, to] = [places.get(one), places.get(other)]
    if (!from || !to) return []
    const points = [from.x, from.y, to.x, to.y]
    return [{ outline: { form: 'line', points } as const, color, isDashed }]
  })
}
