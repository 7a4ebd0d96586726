import { expect, test } from 'vitest'
import { trackShapeOf } from '../testing/run.ts'
import { createPackedShapes } from './packed-shapes.ts'

test('shapes of any length are read back, each with its predecessor', () => {
  const packed = createPackedShapes()
  const shapes = Array.from({ length: 400 }, (_, frame) =>
    trackShapeOf({ frame, type: 'mask', points: Array.from({ length: 2 * frame }, () => frame) }),
  )
  let latest = -1
  for (const shape of shapes) latest = packed.add(shape, latest)
  for (const shape of shapes.toReversed()) {
    expect(packed.read(latest)).toEqual(shape)
    expect(packed.frameAt(latest)).toBe(shape.frame)
    latest = packed.before(latest)
  }
  expect(latest).toBe(-1)
})

test('the number of stored values is limited', () => {
  const packed = createPackedShapes({ most: 15 })
  packed.add(trackShapeOf({ points: [1, 2, 3, 4] }), -1)
  packed.add(trackShapeOf({ points: [1, 2, 3, 4] }), -1)
  expect(() => packed.add(trackShapeOf({ points: [] }), -1)).toThrow('more than 15 numbers')
})
