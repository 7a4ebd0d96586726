import { describe, expect, test } from 'vitest'
import { importAnnotations } from '../../testing/coco.ts'

/** Segmentations in other forms than a list of rings, and the bbox next to an unreadable segmentation. */

const polygon = [10, 20, 40, 20, 40, 45, 10, 45]
const points = [
  [10, 20],
  [40, 20],
  [40, 45],
  [10, 45],
]
const bbox = [10, 20, 30, 25]
const box = [10, 20, 40, 45]

describe('a COCO import reads one polygon from', () => {
  test.each<[string, unknown]>([
    ['a list of rings', [polygon]],
    ['a flat list of numbers', polygon],
    ['a list of points', points],
    ['a ring of points', [points]],
  ])('%s', async (_, segmentation) => {
    const { shapes, report } = await importAnnotations([{ segmentation, bbox }])
    expect(shapes).toMatchObject([{ type: 'polygon', points: polygon, group: 0 }])
    expect(report.entries).toEqual([])
  })
})

test('run lengths without a size use the size of the frame', async () => {
  const { shapes } = await importAnnotations([{ segmentation: { counts: [244, 1, 79, 1, 7675] } }])
  expect(shapes).toMatchObject([{ type: 'mask' }])
})

describe('a COCO import reads the bbox instead of', () => {
  const cases: [string, unknown][] = [
    ['a ring of two points', [[10, 20, 40, 45]]],
    [
      'two rings of two points',
      [
        [10, 20, 40, 45],
        [11, 21, 12, 22],
      ],
    ],
    ['a flat list of two points', [10, 20, 40, 45]],
    ['an odd ring', [[10, 20, 40, 20, 40]]],
    ['an odd flat list', [10, 20, 40, 20, 40, 45, 10]],
    ['a ring of texts', [['10', '20', 'x']]],
    ['a text', 'polygon'],
    ['a number', 7],
    ['points as objects', [{ x: 10, y: 20 }]],
    ['an object without runs', {}],
    ['runs that are too long', { counts: [9000], size: [80, 100] }],
    ['a broken text of runs', { counts: ' ', size: [80, 100] }],
    ['runs without a pixel', { counts: [8000], size: [80, 100] }],
    ['rings of nothing', [null, 3]],
  ]
  test.each(cases)('%s', async (_, segmentation) => {
    const { shapes, report } = await importAnnotations([{ segmentation, bbox }])
    expect(shapes).toMatchObject([{ type: 'rectangle', points: box }])
    expect(report.entries).toMatchObject([
      {
        kind: 'converted',
        code: 'degenerate-shape',
        count: 1,
        reason: 'the segmentation has no area or cannot be read, its bbox is read instead',
        examples: [{ item: 'annotation 1' }],
      },
    ])
  })

  test('a segmentation of an object in a track', async () => {
    const attributes = { track_id: 1, keyframe: true }
    const { tracks } = await importAnnotations([{ segmentation: [[1, 2, 3, 4]], bbox, attributes }])
    expect(tracks).toMatchObject([{ shapes: [{ type: 'rectangle', points: box }, {}] }])
  })
})

test('a readable ring next to an unreadable one is kept without the bbox', async () => {
  const { shapes, report } = await importAnnotations([
    { segmentation: [polygon, [1, 2, 3, 4]], bbox },
  ])
  expect(shapes).toMatchObject([{ type: 'polygon', points: polygon }])
  expect(report.entries).toMatchObject([{ kind: 'skipped', code: 'degenerate-shape' }])
})

test.each([
  ['an empty bbox', []],
  ['a bbox without area', [1, 2, 0, 4]],
  ['a bbox of texts', ['a', 'b', 'c', 'd']],
  ['no bbox', undefined],
])('a ring of two points with %s is left out', async (_, bbox) => {
  const { shapes, report } = await importAnnotations([{ segmentation: [[1, 2, 3, 4]], bbox }])
  expect(shapes).toEqual([])
  expect(report.entries).toMatchObject([{ kind: 'skipped', code: 'degenerate-shape', count: 1 }])
})

test('a mask of another size fails even when there is a bbox', async () => {
  const segmentation = { counts: [200], size: [10, 20] }
  await expect(importAnnotations([{ segmentation, bbox }])).rejects.toThrow(
    'mask of 20 x 10 pixels on a frame of 100 x 80',
  )
})
