import { annotationFields } from '@reticle/contracts/rest/annotation-query'
import {
  shapeTypes,
  sources,
  type Track,
  type TrackShape,
} from '@reticle/contracts/rest/annotations'
import fc from 'fast-check'
import type { AnnotationTarget } from '../targets/target.ts'
import { jobRange } from './workspace.ts'

/** Tracks and query expressions for tests of queries. */

/** Returns a task whose jobs have these frames. */
export function targetOf(...ranges: [number, number][]): AnnotationTarget {
  const jobs = ranges.map(([start, stop], index) => jobRange(11 + index, start, stop))
  const owner = { project_id: null, organization_id: null, labels_revision: 1, label_events: [] }
  return { kind: 'task', id: 1, task_id: 1, jobs, frames: [], dimension: '2d', ...owner }
}

export function keyframeOf(frame: number, given: Partial<TrackShape> = {}): TrackShape {
  const place = { occluded: false, outside: false, keyframe: true, z_order: 0, rotation: 0 }
  const points = [frame, 0, frame + 10, 10]
  return { id: 100 + frame, type: 'rectangle', frame, points, ...place, attributes: [], ...given }
}

export function trackOf(shapes: TrackShape[], id = 1): Track {
  const named = { id, frame: shapes[0]?.frame ?? 0, label_id: 40, group: 0 }
  return { ...named, source: 'manual', attributes: [], shapes, elements: [] }
}

/** Generates shapes of one track on frames below `most`; the first may not be marked as a keyframe. */
export function someShapes(most: number): fc.Arbitrary<TrackShape[]> {
  const one = fc.record({
    outside: fc.boolean(),
    keyframe: fc.boolean(),
    occluded: fc.boolean(),
    z_order: values.z_order,
    rotation: values.rotation,
  })
  const frames = fc.uniqueArray(fc.nat(most - 1), { minLength: 1, maxLength: 6 })
  return fc
    .tuple(frames, fc.array(one, { minLength: 6, maxLength: 6 }))
    .map(([list, given]) =>
      list.toSorted((a, b) => a - b).map((frame, index) => keyframeOf(frame, given[index])),
    )
}

/** Values of every field from small ranges, so that equal values are frequent. */
export const values = {
  id: fc.integer({ min: 1, max: 8 }),
  type: fc.constantFrom(...shapeTypes),
  frame: fc.nat(4),
  label_id: fc.constantFrom(40, 41),
  group: fc.nat(2),
  source: fc.constantFrom(...sources),
  score: fc.constantFrom(0, 0.1, 0.5, 1),
  occluded: fc.boolean(),
  outside: fc.boolean(),
  z_order: fc.integer({ min: -1, max: 1 }),
  rotation: fc.constantFrom(0, 0.1, 12.5, 360),
}

const fields = fc.constantFrom(...(Object.keys(annotationFields) as (keyof typeof values)[]))
const leaf = fields.chain((field) => {
  const column = { var: field }
  const value: fc.Arbitrary<unknown> = values[field]
  const text = fc.constantFrom('', 'a', 'E', 'auto', 'poly', '-')
  return fc.oneof(
    fc.constant<unknown>(column),
    fc
      .tuple(fc.constantFrom('==', '!='), fc.option(value))
      .map(([op, one]) => ({ [op]: [column, one] })),
    fc
      .tuple(fc.constantFrom('<', '<=', '>', '>='), value)
      .map(([op, one]) => ({ [op]: [column, one] })),
    fc.tuple(value, value).map(([low, high]) => ({ '<=': [low, column, high] })),
    fc.array(fc.option(value), { maxLength: 4 }).map((list) => ({ in: [column, list] })),
    fc
      .tuple(text, fc.constantFrom('type', 'source'))
      .map(([part, name]) => ({ in: [part, { var: name }] })),
  )
})

/** Arbitrary `filter` expression. */
export const { anExpression } = fc.letrec<{ anExpression: unknown }>((tie) => ({
  anExpression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({ and: fc.array(tie('anExpression'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('anExpression'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ '!': tie('anExpression') }),
  ),
}))
