import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  anchorAt,
  firstVisible,
  interpolatePosition,
  type TrackPosition,
  trackAt,
  trackStates,
  walkTrack,
} from './interpolate.ts'

describe('half way between two keyframes', () => {
  const cases: [string, number[], number[], number[]][] = [
    ['rectangle', [0, 0, 10, 10], [8, 0, 18, 10], [4, 0, 14, 10]],
    ['rectangle', [10, 0, 0, 10], [8, 0, 18, 10], [4, 0, 14, 10]],
    ['rectangle', [0, 10, 10, 0], [18, 0, 8, 10], [4, 0, 14, 10]],
    ['rectangle', [10, 10, 0, 0], [18, 10, 8, 0], [14, 10, 4, 0]],
    ['polygon', [0, 0, 10, 0, 0, 10], [10, 0, 20, 0, 10, 10], [5, 0, 15, 0, 5, 10]],
    ['polyline', [0, 0, 10, 0], [0, 10, 5, 10, 10, 10], [0, 5, 2.5, 5, 10, 5]],
    ['ellipse', [0, 0, 10, 10], [2, 4, 20, 0], [1, 2, 15, 5]],
    ['points', [0, 0], [4, 2], [2, 1]],
    ['points', [0, 0, 1, 1], [4, 2, 2, 2], [0, 0, 1, 1]],
    ['mask', [0, 4, 0, 0, 1, 1], [0, 4, 8, 8, 9, 9], [0, 4, 0, 0, 1, 1]],
    ['skeleton', [], [], []],
  ]
  test.each(cases)('%s from %j to %j is %j', (type, left, right, expected) => {
    const [from, to] = [shape({ type, points: left }), shape({ type, points: right, frame: 2 })]
    expect(interpolatePosition(from, to, 1).points).toEqual(expected)
  })
})

test('a rotation takes the shorter arc, and half a turn increases the angle', () => {
  const turned = (from: number, to: number, frame: number): number =>
    interpolatePosition(shape({ rotation: from }), shape({ rotation: to, frame: 4 }), frame)
      .rotation
  expect(turned(350, 10, 2)).toBe(0)
  expect(turned(10, 350, 1)).toBe(5)
  expect(turned(0, 180, 1)).toBe(45)
  expect(turned(270, 90, 1)).toBe(315)
})

test('the angles of a cuboid in a point cloud take the shorter arc', () => {
  const points = (angle: number): number[] => [0, 0, 0, 0, 0, angle, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
  const [from, to] = [
    shape({ type: 'cuboid', points: points(3) }),
    shape({ type: 'cuboid', points: points(-3), frame: 2 }),
  ]
  expect(interpolatePosition(from, to, 1, { is3d: true }).points[5]).toBeCloseTo(Math.PI)
  expect(interpolatePosition(from, to, 1).points[5]).toBe(0)
})

test('a curve of length 0 is matched by the number of its vertices', () => {
  const from = shape({ type: 'polyline', points: [5, 5, 5, 5] })
  const to = shape({ type: 'polyline', points: [0, 0, 10, 0], frame: 2 })
  expect(interpolatePosition(from, to, 1).points).toEqual([2.5, 2.5, 7.5, 2.5])
})

test('flags and other fields come from the left keyframe, and the result is not a keyframe', () => {
  const left = { ...shape({}), occluded: true, attributes: [1] }
  const right = { ...shape({ frame: 4 }), occluded: false, attributes: [2] }
  expect(interpolatePosition(left, right, 1)).toMatchObject({
    occluded: true,
    attributes: [1],
    frame: 1,
    keyframe: false,
  })
})

test('an interpolated curve has at most the vertices of both keyframes together', () => {
  const curve = fc.array(fc.tuple(fc.nat(100), fc.nat(100)), { minLength: 2, maxLength: 9 })
  fc.assert(
    fc.property(curve, curve, (a, b) => {
      const left = shape({ type: 'polyline', points: a.flat() })
      const right = shape({ type: 'polyline', points: b.flat(), frame: 2 })
      const { points } = interpolatePosition(left, right, 1)
      expect(points.length).toBeLessThanOrEqual(a.flat().length + b.flat().length)
      expect(points.every((value) => value >= 0 && value <= 100)).toBe(true)
    }),
  )
})

describe('the states of a track by walkTrack', () => {
  const track = [
    shape({ frame: 2, points: [0, 0, 1, 1] }),
    shape({ frame: 4, points: [4, 0, 5, 1] }),
    shape({ frame: 6, points: [8, 0, 9, 1], outside: true }),
    shape({ frame: 9, points: [0, 5, 1, 6] }),
  ]

  test('fill gaps, stay hidden after outside, and hold the last keyframe', () => {
    expect(lefts(track, 0, 10)).toEqual([
      '-',
      '-',
      '0',
      '2',
      '4',
      '6',
      'hidden 8',
      'hidden 8',
      'hidden 8',
      '0',
      '0',
    ])
  })

  test('of a frame range use keyframes outside the range', () => {
    expect(lefts(track, 3, 5)).toEqual(['2', '4', '6'])
    expect(lefts(track, 11, 11)).toEqual(['0'])
  })

  test('can skip frames', () => {
    const frames = [1, 3, 5, 8, 10]
    const stateOf = trackStates(track)
    const whole = [...walkTrack(track, 0, 10)]
    expect(frames.map(stateOf)).toEqual(frames.map((frame) => whole[frame]))
  })

  test('use a stored position without the keyframe flag only on its own frame', () => {
    const stray = shape({ frame: 3, points: [50, 0, 51, 1], keyframe: false })
    const shapes = [...track.slice(0, 1), stray, ...track.slice(1)]
    expect(lefts(shapes, 2, 5)).toEqual(['0', '50', '4', '6'])
  })

  test('mark keyframes', () => {
    expect([...walkTrack(track, 2, 4)].map((state) => state?.keyframe)).toEqual([true, false, true])
  })
})

describe('a track of random keyframes', () => {
  const track = fc
    .uniqueArray(
      fc.record({
        frame: fc.nat(20),
        outside: fc.boolean(),
        keyframe: fc.boolean(),
        points: fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(9)),
      }),
      { selector: (one) => one.frame, maxLength: 8 },
    )
    .map((shapes) => shapes.sort((a, b) => a.frame - b.frame).map((one) => shape(one)))

  test('has the same state by trackAt and by walkTrack', () => {
    fc.assert(
      fc.property(track, (shapes) => {
        for (const [frame, state] of [...walkTrack(shapes, 0, 25)].entries()) {
          expect(trackAt(shapes, frame)).toEqual(state)
        }
      }),
    )
  })

  test('is first visible on the frame that its keyframes imply', () => {
    fc.assert(
      fc.property(track, fc.nat(22), fc.nat(5), (shapes, first, more) => {
        const frames = Array.from({ length: more + 1 }, (_, n) => first + n)
        const isSeen = (frame: number) => shapes[anchorAt(shapes, frame)]?.outside === false
        expect(firstVisible(shapes, first, first + more)).toBe(frames.find(isSeen))
      }),
    )
  })
})

// ---- support

function shape(given: Partial<TrackPosition>): TrackPosition {
  const rest = { frame: 0, rotation: 0, outside: false, keyframe: true }
  return { type: 'rectangle', points: [0, 0, 1, 1], ...rest, ...given }
}

function lefts(shapes: TrackPosition[], first: number, last: number): string[] {
  return [...walkTrack(shapes, first, last)].map((state) =>
    state ? `${state.outside ? 'hidden ' : ''}${state.points[0]}` : '-',
  )
}
