import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DatasetShape, ItemFrame } from '../../model/dataset.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
} from '../../testing/run.ts'
import { yolo } from '../yolo.ts'

/** Readers drop all boxes of an image when a value, or an edge computed from the values, is outside the image. */

const labels = [labelOf({ name: 'car' })]
const small = framesOf(['a.png', 'b.png', 'c.png'], 100, 50)
type Given = Parameters<typeof datasetOf>[2]

const exported = (given: Given, frames: readonly ItemFrame[] = small) =>
  exportBytes(yolo.exporter, datasetOf(labels, frames, given))

const boxes = (...all: number[][]): { shapes: DatasetShape[] } => ({
  shapes: all.map((points) => shapeOf({ points })),
})

test('an export clips boxes to the image and reports them', async () => {
  const given = boxes([90, 40, 140, 60], [-20, 10, 30, 70], [10, 10, 20, 20])
  const { files, report } = await exported(given)
  expect(files['obj_train_data/a.txt']).toBe(
    '0 0.950000 0.900000 0.100000 0.200000\n' +
      '0 0.150000 0.600000 0.300000 0.800000\n' +
      '0 0.150000 0.300000 0.100000 0.200000\n',
  )
  expect(report).toMatchObject({
    created: { shapes: 3 },
    entries: [{ kind: 'converted', code: 'clipped', count: 2, examples: [{ item: 'a.png' }, {}] }],
  })
})

test('an export leaves out boxes outside the image and reports them', async () => {
  const outside = [
    [150, 60, 170, 70],
    [-20, 10, 0, 20],
    [10, 50, 20, 60],
    [100, 0, 101, 50],
  ]
  const { files, report } = await exported(boxes(...outside, [10, 10, 20, 20]))
  expect(files['obj_train_data/a.txt']).toBe('0 0.150000 0.300000 0.100000 0.200000\n')
  expect(report).toMatchObject({
    created: { shapes: 1 },
    entries: [{ kind: 'dropped', code: 'degenerate-shape', count: 4 }],
  })
})

test('boxes on the border are not reported', async () => {
  const { files, report } = await exported(boxes([0, 0, 100, 50], [0, 0, 1, 1], [99, 49, 100, 50]))
  expect(files['obj_train_data/a.txt']).toBe(
    '0 0.500000 0.500000 1.000000 1.000000\n' +
      '0 0.005000 0.010000 0.010000 0.020000\n' +
      '0 0.995000 0.990000 0.010000 0.020000\n',
  )
  expect(report.entries).toEqual([])
})

test('a track is clipped on the frames where it leaves the image', async () => {
  const shapes = [
    trackShapeOf({ points: [80, 10, 100, 30] }),
    trackShapeOf({ frame: 2, points: [110, 10, 130, 30] }),
  ]
  const { files, report } = await exported({ tracks: [trackOf(shapes)] })
  expect(files).toMatchObject({
    'obj_train_data/a.txt': '0 0.900000 0.400000 0.200000 0.400000\n',
    'obj_train_data/b.txt': '0 0.975000 0.400000 0.050000 0.400000\n',
    'obj_train_data/c.txt': '',
  })
  const codes = report.entries.map(({ kind, code, count }) => `${kind} ${code} ${count}`)
  expect(codes).toEqual([
    'converted dropped-shape-type 1',
    'converted clipped 1',
    'dropped degenerate-shape 1',
  ])
})

test('a box that is thinner than the sixth decimal is left out and reported', async () => {
  const { files, report } = await exported(boxes([10, 10, 10.00001, 20]))
  expect(files['obj_train_data/a.txt']).toBe('')
  expect(report.entries).toMatchObject([{ kind: 'dropped', code: 'degenerate-shape' }])
})

const side = (length: number) =>
  fc
    .tuple(fc.integer({ min: -500_000, max: 1_500_000 }), fc.constantFrom(0, 1, undefined))
    .map(([share, edge]) => (edge ?? share / 1_000_003) * length)

test('every value and every computed edge is within the image', async () => {
  const anySize = fc.record({
    width: fc.integer({ min: 1, max: 9000 }),
    height: fc.integer({ min: 1, max: 9000 }),
  })
  const anyBox = anySize.chain(({ width, height }) =>
    fc.record({
      width: fc.constant(width),
      height: fc.constant(height),
      points: fc.tuple(side(width), side(height), side(width), side(height)),
    }),
  )
  const isInside = fc.asyncProperty(anyBox, async ({ width, height, points }) => {
    const frames = framesOf(['a.png'], width, height)
    const { files, report } = await exported(boxes([...points]), frames)
    const line = files['obj_train_data/a.txt'] ?? ''
    expect(line === '').toBe(report.dropped === 1)
    if (line === '') return
    const [, cx = -1, cy = -1, w = -1, h = -1] = line.trim().split(' ').map(Number)
    for (const edge of [cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2, w, h]) {
      expect(edge).toBeGreaterThanOrEqual(0)
      expect(edge).toBeLessThanOrEqual(1)
    }
  })
  await fc.assert(isInside, { numRuns: 300 })
})

test.each([
  [[0, 0, 33.33, 16.67]],
  [[66.67, 33.33, 100, 50]],
  [[0, 0, 0.01, 50]],
  [[99.99, 0, 100, 49.99]],
])('the box %j at an edge is unchanged after an export and import', async (points) => {
  for (const [width, height] of [
    [100, 50],
    [101, 53],
    [1921, 1083],
  ] as const) {
    const grown = points.map((value, at) => {
      const [length, own] = at % 2 === 0 ? [100, width] : [50, height]
      return value === length ? own : value
    })
    const frames = framesOf(['a.png'], width, height)
    const { bytes } = await exported(boxes(grown), frames)
    const { shapes } = await importBytes(yolo, bytes, targetOf(labels, frames))
    expect(shapes).toMatchObject([{ points: grown }])
  }
})
