import { expect, test } from 'vitest'
import { boxOf } from './outline.ts'
import { outlinesOf } from './shapes.ts'

test('a rectangle is rotated clockwise about its centre', () => {
  const [ring] = outlinesOf({ type: 'rectangle', points: [0, 0, 20, 10], rotation: 90 })
  if (ring?.form !== 'ring') throw new Error('a ring expected')
  expect(ring.points.map((number) => Math.round(number))).toEqual([15, -5, 15, 15, 5, 15, 5, -5])
})

test('an ellipse has a centre and two radii, and its box follows the rotation', () => {
  const [ellipse] = outlinesOf({ type: 'ellipse', points: [50, 40, 20, 10], rotation: 90 })
  if (!ellipse) throw new Error('an outline expected')
  expect(ellipse).toMatchObject({ form: 'ellipse', x: 50, y: 40, rx: 20, ry: 10 })
  expect(boxOf(ellipse)).toEqual({ left: 40, right: 60, top: 20, bottom: 60 })
})

test('a cuboid has a front, a rear and the edges between their corners', () => {
  const frontFace = [0, 10, 0, 30, 20, 10, 20, 30]
  const rearFace = [25, 5, 25, 25, 5, 5, 5, 25]
  const points = [...frontFace, ...rearFace]
  expect(outlinesOf({ type: 'cuboid', points, rotation: 0 })).toEqual([
    { form: 'ring', points: [5, 5, 5, 25, 25, 25, 25, 5] },
    { form: 'line', points: [0, 10, 5, 5] },
    { form: 'line', points: [0, 30, 5, 25] },
    { form: 'line', points: [20, 30, 25, 25] },
    { form: 'line', points: [20, 10, 25, 5] },
    { form: 'ring', points: [0, 10, 0, 30, 20, 30, 20, 10] },
  ])
})

test('points become dots', () => {
  expect(outlinesOf({ type: 'points', points: [1, 2, 3, 4], rotation: 0 })).toEqual([
    { form: 'dot', x: 1, y: 2 },
    { form: 'dot', x: 3, y: 4 },
  ])
})
