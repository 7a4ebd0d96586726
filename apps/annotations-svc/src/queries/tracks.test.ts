import { annotationFields, getQuery } from '@reticle/contracts/rest/annotation-query'
import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { trackStates } from '@reticle/geometry'
import { createFilterOracle } from '@reticle/kit/testing/json-logic'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anExpression, keyframeOf, someShapes, targetOf, trackOf } from '../testing/queries.ts'
import { framesOf } from './spans.ts'
import { isSeen, matchesQuery, visibleSpans } from './tracks.ts'

const frames = (first: number, last = first) => [{ first, last }]
const selection = { label_id: [] }

describe('where a track is visible', () => {
  test('the visible spans match the interpolated states on every frame', () => {
    fc.assert(
      fc.property(someShapes(12), fc.nat(15), (shapes, last) => {
        const stateOf = trackStates(shapes)
        const all = Array.from({ length: last + 1 }, (_, frame) => frame)
        const visible = all.filter((frame) => stateOf(frame)?.outside === false)
        expect(framesOf([...visibleSpans(shapes, last)])).toEqual(visible)
        for (const frame of all)
          expect(isSeen(shapes, frames(frame), last)).toBe(visible.includes(frame))
      }),
    )
  })

  test('a track is visible until the end of the target unless it is hidden before', () => {
    const target = targetOf([0, 4], [5, 9], [10, 14])
    const track = trackOf([keyframeOf(1), keyframeOf(6)])
    expect(matchesQuery(track, target, { ...selection, frames: frames(14) })).toBe(true)
    expect(matchesQuery(track, target, { ...selection, frames: frames(15) })).toBe(false)
  })

  test('a skeleton is visible where one of its elements is', () => {
    const element = (id: number, ...shapes: TrackShape[]) => trackOf(shapes, id)
    const hidden = { outside: true }
    const skeleton: Track = {
      ...trackOf([keyframeOf(0, { type: 'skeleton', points: [] })]),
      elements: [
        element(1, keyframeOf(0), keyframeOf(2, hidden)),
        element(2, keyframeOf(0, hidden), keyframeOf(6), keyframeOf(7, hidden)),
      ],
    }
    const seen = (frame: number) =>
      matchesQuery(skeleton, targetOf([0, 9]), { ...selection, frames: frames(frame) })
    expect([0, 1, 2, 5, 6, 7].filter(seen)).toEqual([0, 1, 6])
  })
})

describe('a filter', () => {
  const isTrue = createFilterOracle(annotationFields)

  test('a filter keeps tracks with a keyframe that json-logic-js accepts', () => {
    fc.assert(
      fc.property(
        someShapes(4),
        fc.array(anExpression, { minLength: 10, maxLength: 10 }),
        (shapes, given) => {
          const track = trackOf(shapes, 3)
          for (const one of given) {
            const filter = getQuery.parse({ filter: JSON.stringify(one) }).filter
            const rows = shapes
              .filter((shape) => shape.keyframe)
              .map((shape) => rowOf(track, shape))
            const expected = rows.some((row) => isTrue(one, row))
            const kept = matchesQuery(track, targetOf([0, 9]), { ...selection, filter })
            expect(kept, JSON.stringify(one)).toBe(expected)
          }
        },
      ),
    )
  })

  const rowOf = ({ id, label_id, group, source }: Track, shape: TrackShape) => {
    const { type, frame, occluded, outside, z_order, rotation } = shape
    const own = { id, label_id, group, source, score: null }
    return { ...own, type, frame, occluded, outside, z_order, rotation }
  }
})
