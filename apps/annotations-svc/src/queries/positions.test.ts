import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { walkTrack } from '@reticle/geometry'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyframeOf, someShapes, trackOf } from '../testing/queries.ts'
import type { Interpolation } from './annotation-query.ts'
import { positionsJson } from './positions.ts'
import { excludeFrames, framesOf } from './spans.ts'

function interpolation(frames: Interpolation['frames'], deleted: number[] = []): Interpolation {
  return { frames: excludeFrames(frames, deleted), is3d: false }
}

function expand(track: Track, last: number, how: Interpolation): Track {
  return JSON.parse(Buffer.from([...positionsJson(track, last, how)].join(''), 'latin1').toString())
}

test('the positions equal those of a walk over all frames, and interpolated ones have no id', () => {
  const anyFrames = fc.tuple(fc.nat(6), fc.nat(6), fc.nat(6), fc.nat(6))
  const deletions = fc.uniqueArray(fc.nat(15), { maxLength: 4 })
  fc.assert(
    fc.property(someShapes(12), fc.nat(15), anyFrames, deletions, (shapes, last, steps, gone) => {
      const [a, b, c, d] = steps
      const frames = [
        { first: a, last: a + b },
        { first: a + b + 2 + c, last: a + b + 2 + c + d },
      ]
      const how = interpolation(
        frames,
        gone.toSorted((x, y) => x - y),
      )
      const visible = framesOf(frames).filter((frame) => frame <= last && !gone.includes(frame))
      const states = [...walkTrack(shapes, 0, last)]
      const expected = visible
        .flatMap((frame) => states[frame] ?? [])
        .filter((state) => !state.outside)
        .map((state) => (shapes.includes(state) ? state : { ...state, id: null }))
      expect(expand(trackOf(shapes), last, how).shapes).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})

/** Exports give the same result (`apps/jobs-svc/src/exports/deleted-tracks.test.ts`). */
test.each([
  ['that a track ends on', [{}, { frame: 3, outside: true }], [3], [0, 1, 2]],
  ['with the only keyframe', [{ frame: 3 }], [3], [4, 5, 6, 7, 8, 9]],
  ['that a track begins again on', [{ outside: true }, { frame: 3 }], [3], [4, 5, 6, 7, 8, 9]],
  [
    'with both ends of a gap',
    [{}, { frame: 3, outside: true }, { frame: 5 }],
    [3, 5],
    [0, 1, 2, 6, 7, 8, 9],
  ],
  ['between keyframes', [{}, { frame: 5, outside: true }], [1, 4], [0, 2, 3]],
  ['and the last one', [{ frame: 7 }], [9], [7, 8]],
])('deleting a frame %s changes no other frame', (_, keyframes, deleted, expected) => {
  const shapes = keyframes.map((one) => keyframeOf(one.frame ?? 0, one))
  const found = expand(trackOf(shapes), 9, interpolation([{ first: 0, last: 9 }], deleted))
  expect(found.shapes.map((one: TrackShape) => one.frame)).toEqual(expected)
})

test('a track with very many frames is written position by position', () => {
  const track = trackOf([keyframeOf(0), keyframeOf(199_999)])
  const how = interpolation([{ first: 0, last: 199_999 }])
  let [longest, count] = [0, 0]
  for (const piece of positionsJson(track, 199_999, how)) {
    longest = Math.max(longest, piece.length)
    count += 1
  }
  expect(count).toBeGreaterThan(200_000)
  expect(longest).toBeLessThan(500)
})

test('a position far from its keyframes is found without visiting the frames between', () => {
  const tracks = Array.from({ length: 2000 }, () => trackOf([keyframeOf(0), keyframeOf(999_999)]))
  const how = interpolation([{ first: 500_000, last: 500_000 }])
  for (const track of tracks) expect(expand(track, 999_999, how).shapes).toHaveLength(1)
})

test('non-ASCII text in attributes is unchanged', () => {
  const attributes = [{ spec_id: 1, value: 'ключ "日本"' }]
  const track = { ...trackOf([keyframeOf(0, { attributes })]), attributes }
  const found = expand(track, 1, interpolation([{ first: 0, last: 1 }]))
  expect(found.attributes).toEqual(attributes)
  expect(found.shapes.map((one: TrackShape) => one.attributes)).toEqual([attributes, attributes])
})

test('each element has its positions, and an element without any is left out', () => {
  const part = (id: number, ...shapes: TrackShape[]) => trackOf(shapes, id)
  const pointOf = (frame: number, points: number[]) => keyframeOf(frame, { type: 'points', points })
  const skeleton: Track = {
    ...trackOf([keyframeOf(0, { type: 'skeleton', points: [] })]),
    elements: [
      part(1, pointOf(0, [0, 0]), pointOf(2, [4, 0])),
      part(2, keyframeOf(0, { outside: true })),
      part(3, keyframeOf(0), keyframeOf(1, { outside: true })),
    ],
  }
  const found = expand(skeleton, 2, interpolation([{ first: 0, last: 2 }]))
  expect(found.shapes).toHaveLength(3)
  expect(found.elements.map(({ id, shapes }) => [id, shapes.map((one) => one.frame)])).toEqual([
    [1, [0, 1, 2]],
    [3, [0]],
  ])
  expect(found.elements[0]?.shapes[1]?.points).toEqual([2, 0])
})
