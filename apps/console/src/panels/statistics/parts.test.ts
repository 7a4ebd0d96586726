import { expect, test } from 'vitest'
import { barsOfLabels, totalOf } from './parts.ts'

const nothing = {
  tags: 0,
  rectangle: 0,
  polygon: 0,
  polyline: 0,
  points: 0,
  ellipse: 0,
  cuboid: 0,
  mask: 0,
  skeleton: 0,
  tracks: 0,
}

test('labels have parts for the kinds in use, and the most used label comes first', () => {
  const car = { ...nothing, label_id: 1, name: 'car', rectangle: 1 }
  const bus = { ...nothing, label_id: 2, name: 'bus', rectangle: 2, tracks: 3 }
  const bars = barsOfLabels([car, bus])
  expect(bars.map(({ name, parts }) => [name, ...parts.map(({ count }) => count)])).toEqual([
    ['bus', 2, 3],
    ['car', 1, 0],
  ])
  expect(bars.map(totalOf)).toEqual([5, 1])
})
