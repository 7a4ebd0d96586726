import { expect, test } from 'vitest'
import { lastAt } from './hit.ts'
import { parseMask } from './mask.ts'
import { boxOf, emptyBox, joinBoxes, type ShapeOutline } from './outline.ts'
import { outlinesOf, type ShapeGeometry } from './shapes.ts'

const target = (shape: Omit<ShapeGeometry, 'rotation'>, rotation = 0) => {
  const outlines: ShapeOutline[] = outlinesOf({ ...shape, rotation })
  return { outlines, box: outlines.map(boxOf).reduce(joinBoxes, emptyBox) }
}
const isHit = (one: ReturnType<typeof target>, x: number, y: number, reach = 0) =>
  lastAt([one], { x, y }, reach) === one

test('a polygon is hit inside but not in its bay', () => {
  const bay = target({ type: 'polygon', points: [0, 0, 30, 0, 30, 30, 20, 10, 10, 10, 0, 30] })
  expect(isHit(bay, 15, 5)).toBe(true)
  expect(isHit(bay, 15, 20)).toBe(false)
})

test('a rotated rectangle is hit where it is drawn', () => {
  const box = target({ type: 'rectangle', points: [0, 0, 40, 4] }, 90)
  expect(isHit(box, 20, -15)).toBe(true)
  expect(isHit(box, 2, 2)).toBe(false)
})

test('a rotated ellipse is hit where it is drawn', () => {
  const ellipse = target({ type: 'ellipse', points: [50, 50, 30, 5] }, 90)
  expect(isHit(ellipse, 50, 75)).toBe(true)
  expect(isHit(ellipse, 75, 50)).toBe(false)
})

test('a line and a dot are hit within reach', () => {
  const line = target({ type: 'polyline', points: [0, 0, 100, 100] })
  expect([isHit(line, 52, 50, 2), isHit(line, 55, 50, 2)]).toEqual([true, false])
  const dot = target({ type: 'points', points: [10, 10] })
  expect([isHit(dot, 12, 10, 3), isHit(dot, 14, 10, 3)]).toEqual([true, false])
})

test('a mask is hit at its pixels', () => {
  const mask = parseMask([1, 2, 1, 10, 10, 11, 11])
  const one = { mask, outlines: [], box: { left: 10, top: 10, right: 12, bottom: 12 } }
  expect(lastAt([one], { x: 11.5, y: 10.5 }, 0)).toBe(one)
  expect(lastAt([one], { x: 10.5, y: 10.5 }, 0)).toBeUndefined()
})

test('the topmost object is hit', () => {
  const [below, above] = [0, 5].map((at) => target({ type: 'rectangle', points: [at, at, 20, 20] }))
  if (!below || !above) throw new Error('two objects expected')
  expect(lastAt([below, above], { x: 10, y: 10 }, 0)).toBe(above)
  expect(lastAt([below, above], { x: 2, y: 2 }, 0)).toBe(below)
})
