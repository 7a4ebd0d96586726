import { expect, test } from 'vitest'
import {
  fitView,
  keepInSight,
  moveView,
  onPixels,
  relateViews,
  toPicture,
  toScreen,
  zoomView,
} from './view.ts'

const size = { width: 200, height: 100 }
const room = { width: 400, height: 400 }

test('a fitted picture is centred', () => {
  expect(fitView(size, room)).toEqual({ scale: 2, x: 0, y: 100 })
})

test('the point under the pointer stays there during a zoom', () => {
  const view = { scale: 2, x: 10, y: 20 }
  const at = { x: 77, y: 31 }
  const nearer = zoomView(view, at, 1.5)
  expect(nearer.scale).toBe(3)
  expect(toPicture(nearer, at).x).toBeCloseTo(toPicture(view, at).x)
  expect(toPicture(nearer, at).y).toBeCloseTo(toPicture(view, at).y)
})

test('the zoom has a minimum and a maximum', () => {
  expect(zoomView({ scale: 60, x: 0, y: 0 }, { x: 0, y: 0 }, 10).scale).toBe(64)
  expect(zoomView({ scale: 0.03, x: 0, y: 0 }, { x: 0, y: 0 }, 0.1).scale).toBe(0.02)
})

test('a point survives the conversion to the screen and back', () => {
  const view = { scale: 3, x: -7, y: 11 }
  expect(toPicture(view, toScreen(view, { x: 12, y: 34 }))).toEqual({ x: 12, y: 34 })
})

test('a picture cannot be moved out of view', () => {
  const view = moveView(fitView(size, room), { x: 10_000, y: -10_000 })
  expect(keepInSight(view, size, room)).toEqual({ scale: 2, x: 352, y: -152 })
})

test('corners are aligned to device pixels', () => {
  expect(onPixels({ scale: 1, x: 0.4, y: 1.3 }, 2)).toEqual({ scale: 1, x: 0.5, y: 1.5 })
})

test('a drawing for one view is placed in another view', () => {
  const [drawn, view] = [
    { scale: 2, x: 10, y: 20 },
    { scale: 3, x: -5, y: 7 },
  ]
  const point = { x: 31, y: 4 }
  expect(toScreen(relateViews(drawn, view), toScreen(drawn, point))).toEqual(toScreen(view, point))
})
