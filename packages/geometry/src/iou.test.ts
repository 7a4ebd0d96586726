import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boxIou, cuboidIou, polygonIou } from './iou.ts'

const square = [0, 0, 10, 0, 10, 10, 0, 10]

test.each([
  ['the same', [0, 0, 10, 10], 1],
  ['half of it', [5, 0, 10, 10], 0.5],
  ['shifted by half', [5, 0, 15, 10], 1 / 3],
  ['the corners exchanged', [10, 10, 0, 0], 1],
  ['only touching', [10, 0, 20, 10], 0],
  ['elsewhere', [20, 20, 30, 30], 0],
  ['a line', [0, 5, 10, 5], 0],
])('a box and %s have the expected IoU', (_, other, expected) => {
  expect(boxIou([0, 0, 10, 10], other)).toBeCloseTo(expected, 12)
  expect(boxIou(other, [0, 0, 10, 10])).toBeCloseTo(expected, 12)
})

test('cuboids are compared from the top and from the side, without rotation', () => {
  const cuboid = (centre: number[], size: number[], angle = 0) => [
    ...centre,
    0,
    0,
    angle,
    ...size,
    ...Array(7).fill(0),
  ]
  const one = cuboid([0, 0, 0], [4, 2, 2])
  expect(cuboidIou(one, cuboid([0, 0, 0], [4, 2, 2], 1))).toBe(1)
  expect(cuboidIou(one, cuboid([0, 1, 0], [4, 2, 2]))).toBeCloseTo(1 / 3)
  expect(cuboidIou(one, cuboid([0, 1, 1], [4, 2, 2]))).toBeCloseTo(1 / 9)
  expect(cuboidIou(one, cuboid([2, 0, 0], [4, 2, 2]))).toBeCloseTo(1 / 9)
})

describe('polygons', () => {
  test.each([
    ['itself', square, 1],
    ['itself the other way around', [0, 10, 10, 10, 10, 0, 0, 0], 1],
    ['itself with the first point repeated', [...square, 0, 0], 1],
    ['a triangle of its half', [0, 0, 10, 0, 0, 10], 0.5],
    ['a bay in it', [0, 0, 10, 0, 10, 10, 5, 2, 0, 10], 0.6],
    ['what only touches it', [10, 0, 20, 0, 20, 10], 0],
    ['a bow tie', [0, 0, 10, 10, 10, 0, 0, 10], 0],
    ['one that touches itself in a point', [0, 0, 5, 5, 10, 0, 10, 10, 5, 5, 0, 10], 0],
    ['one with a spike', [0, 0, 10, 0, 15, 0, 10, 0, 10, 10, 0, 10], 0],
    ['a line', [0, 0, 5, 5, 10, 10], 0],
  ])('a square and %s have the expected IoU', (_, other, expected) => {
    expect(polygonIou(square, other)).toBeCloseTo(expected, 12)
    expect(polygonIou(other, square)).toBeCloseTo(expected, 12)
  })

  test('two interlocking combs have no intersection', () => {
    const comb = [0, 0, 9, 0, 9, 8, 6, 8, 6, 2, 3, 2, 3, 8, 0, 8]
    const between = [3, 3, 5, 3, 5, 12, 3, 12]
    expect(polygonIou(comb, between)).toBe(0)
    expect(polygonIou(comb, [3, 2, 6, 2, 6, 8, 3, 8])).toBe(0)
  })

  test('any two polygons have the IoU computed from triangles', () => {
    fc.assert(
      fc.property(star, star, (a, b) => {
        const common = bySignedTriangles(a, b)
        const [own, other] = [bySignedTriangles(a, a), bySignedTriangles(b, b)]
        expect(polygonIou(a, b)).toBeCloseTo(common / (own + other - common), 9)
      }),
      { numRuns: 500 },
    )
  })

  test('the IoU does not depend on the distance from the origin', () => {
    const moved = (points: number[]) => points.map((value) => value + 9_000_000)
    fc.assert(
      fc.property(star, star, (a, b) => {
        expect(polygonIou(moved(a), moved(b))).toBeCloseTo(polygonIou(a, b), 6)
      }),
    )
  })
})

// ---- support

/** Polygon around a centre, possibly concave. */
const star = fc
  .tuple(
    fc.array(fc.double({ min: 1, max: 20, noNaN: true }), { minLength: 3, maxLength: 12 }),
    fc.integer({ min: -10, max: 10 }),
    fc.integer({ min: -10, max: 10 }),
  )
  .map(([radii, x, y]) =>
    radii.flatMap((radius, at) => {
      const angle = (2 * Math.PI * at) / radii.length
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
    }),
  )

type Point = readonly [number, number]

/** Returns the intersection area by clipping the triangle fans of both polygons. */
function bySignedTriangles(a: number[], b: number[]): number {
  const [left, right] = [fan(a), fan(b)]
  const turn = Math.sign(total(left)) * Math.sign(total(right))
  let area = 0
  for (const one of left) {
    for (const other of right) {
      area += Math.sign(areaOf(one)) * Math.sign(areaOf(other)) * Math.abs(areaOf(clip(one, other)))
    }
  }
  return area * turn
}

const total = (triangles: Point[][]) => triangles.reduce((sum, one) => sum + areaOf(one), 0)

function fan(points: number[]): Point[][] {
  const corners = points.flatMap((x, at): Point[] => (at % 2 ? [] : [[x, points[at + 1] ?? 0]]))
  return corners.map((from, at) => [[0.3, 0.7], from, corners[(at + 1) % corners.length] ?? from])
}

function areaOf(corners: readonly Point[]): number {
  const at = (index: number) => corners[index % corners.length] ?? [0, 0]
  return corners.reduce((sum, [x, y], n) => sum + x * at(n + 1)[1] - at(n + 1)[0] * y, 0) / 2
}

/** Clips a polygon (Sutherland and Hodgman). */
function clip(subject: readonly Point[], by: readonly Point[]): Point[] {
  const window = areaOf(by) < 0 ? by.toReversed() : by
  return window.reduce<Point[]>(
    (left, from, n) => {
      const to = window[(n + 1) % window.length] ?? from
      const side = ([x, y]: Point) =>
        (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0])
      return left.flatMap((point, at) => {
        const next = left[(at + 1) % left.length] ?? point
        const [here, there] = [side(point), side(next)]
        const kept = here >= 0 ? [point] : []
        if (here * there >= 0) return kept
        const share = here / (here - there)
        const mix = (axis: 0 | 1) => point[axis] + (next[axis] - point[axis]) * share
        return [...kept, [mix(0), mix(1)] as const]
      })
    },
    [...subject],
  )
}
