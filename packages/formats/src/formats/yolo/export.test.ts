import { describe, expect, test } from 'vitest'
import type { Dataset, ItemFrame } from '../../model/dataset.ts'
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
import { subsetNames } from './export.ts'

const joint = labelOf({ id: 5, name: 'joint', type: 'points' })
const labels = [
  labelOf({ id: 3, name: 'car' }),
  labelOf({ id: 4, name: 'body', type: 'skeleton', sublabels: [joint] }),
  labelOf({ id: 6, name: 'Straße' }),
]
const frames = framesOf(['a.jpg', 'b/ü (2).v2.png'])

const exported = (dataset: Dataset) => exportBytes(yolo.exporter, dataset)

/** Combines two datasets as two subsets. */
const together = (one: Dataset, two: Dataset): Dataset => ({
  ...one,
  subsets: [...one.subsets, ...two.subsets],
})

describe('a YOLO export', () => {
  test('writes exactly these files', async () => {
    const shapes = [
      shapeOf({ label_id: 6, points: [10, 20, 30.5, 60], z_order: 1 }),
      shapeOf({ label_id: 3, points: [0, 0, 100, 80] }),
      shapeOf({ label_id: 3, frame: 1, points: [-5, 1.234, 12.5, 40] }),
    ]
    const { files, report } = await exported(datasetOf(labels, frames, { shapes }))
    expect(files).toEqual({
      'obj.data': 'classes = 3\ntrain = data/train.txt\nnames = data/obj.names\nbackup = backup/\n',
      'obj.names': 'car\nbody\nStraße\n',
      'train.txt': 'data/obj_train_data/a.jpg\ndata/obj_train_data/b/ü (2).v2.png\n',
      'obj_train_data/a.txt':
        '0 0.500000 0.500000 1.000000 1.000000\n2 0.202500 0.500000 0.205000 0.500000\n',
      'obj_train_data/b/ü (2).v2.txt': '0 0.062500 0.257713 0.125000 0.484575\n',
    })
    expect(report).toMatchObject({ created: { shapes: 3 } })
  })

  test('writes an empty text for each image without annotations', async () => {
    const { files, report } = await exported(datasetOf([], frames, {}))
    expect(files).toMatchObject({
      'obj.data': 'classes = 0\ntrain = data/train.txt\nnames = data/obj.names\nbackup = backup/\n',
      'obj.names': '',
      'obj_train_data/a.txt': '',
      'obj_train_data/b/ü (2).v2.txt': '',
    })
    expect(report.entries).toEqual([])
  })

  test('writes a folder for each subset and its images', async () => {
    const pixels = async function* () {
      yield Buffer.from('pixels')
    }
    const withImages = frames.map((frame): ItemFrame => ({ ...frame, image: pixels }))
    const one = datasetOf(labels, withImages.slice(0, 1), {}, { name: 'x/y', saveImages: true })
    const two = datasetOf(labels, withImages.slice(0, 1), { shapes: [shapeOf({ label_id: 3 })] })
    const { files, progress } = await exported(together(one, two))
    expect(Object.keys(files)).toEqual([
      'obj.data',
      'obj.names',
      'x_y.txt',
      'train.txt',
      'obj_x_y_data/a.txt',
      'obj_train_data/a.txt',
      'obj_x_y_data/a.jpg',
      'obj_train_data/a.jpg',
    ])
    expect(files['obj_x_y_data/a.jpg']).toBe('pixels')
    expect(files['obj_x_y_data/a.txt']).toBe('')
    expect(files['obj_train_data/a.txt']).not.toBe('')
    expect(files['obj.data']).toContain('x_y = data/x_y.txt\ntrain = data/train.txt\n')
    expect(progress).toEqual([0.125, 0.25, 0.625, 1])
  })

  test('separates subsets that would get equal names', () => {
    const named = (...subsets: string[]) => subsets.map((one) => subsetNames(subsets).get(one))
    expect(named('default', 'train')).toEqual(['train_1', 'train'])
    expect(named('default', 'Train')).toEqual(['train_1', 'Train'])
    expect(named('a/b', 'a_b')).toEqual(['a_b', 'a_b_1'])
    expect(named('default')).toEqual(['train'])
  })

  test.each(['backup', 'classes', 'names'])('refuses a subset called %s', async (name) => {
    await expect(exported(datasetOf(labels, frames, {}, { name }))).rejects.toThrow(
      `YOLO 1.1 has no room for a subset '${name}': rename it`,
    )
  })

  test('writes frames of a video by their names, and tracks frame by frame', async () => {
    const video = framesOf(['frame_000010.PNG', 'frame_000015.PNG', 'frame_000020.PNG'])
    const track = trackOf(
      [
        trackShapeOf({ points: [0, 0, 10, 10] }),
        trackShapeOf({ frame: 2, points: [20, 0, 30, 10], outside: true }),
      ],
      { label_id: 3 },
    )
    const { files, report } = await exported(datasetOf(labels, video, { tracks: [track] }))
    expect(files).toMatchObject({
      'obj_train_data/frame_000010.txt': '0 0.050000 0.062500 0.100000 0.125000\n',
      'obj_train_data/frame_000015.txt': '0 0.150000 0.062500 0.100000 0.125000\n',
      'obj_train_data/frame_000020.txt': '',
    })
    expect(report.entries).toMatchObject([{ kind: 'converted', count: 1 }])
  })

  test('reports each loss', async () => {
    const shapes = [
      shapeOf({ label_id: 3, rotation: 15, occluded: true }),
      shapeOf({ label_id: 3, rotation: 359.999999 }),
      shapeOf({ label_id: 3, occluded: true, group: 2, score: 0.5 }),
      shapeOf({ label_id: 3, attributes: [{ spec_id: 1, value: 'x' }] }),
      shapeOf({ label_id: 3, type: 'polygon', points: [0, 0, 9, 0, 9, 9] }),
    ]
    const { files, report } = await exported(datasetOf(labels, frames, { shapes }))
    expect(files['obj_train_data/a.txt']?.split('\n')).toHaveLength(4)
    const notes = report.entries.map(({ code, reason, count }) => [code, reason, count])
    expect(notes).toEqual([
      ['unsupported-rotation', 'YOLO 1.1 has no rotated rectangles', 1],
      ['unsupported-rotation', 'YOLO 1.1 has no rotation', 1],
      ['dropped-attribute', 'YOLO 1.1 does not say what is occluded', 1],
      ['dropped-attribute', 'YOLO 1.1 has no groups', 1],
      ['dropped-attribute', 'YOLO 1.1 has no scores', 1],
      ['dropped-attribute', 'YOLO 1.1 has no attributes', 1],
      ['dropped-shape-type', 'YOLO 1.1 has no polygons', 1],
    ])
  })
})

describe('a YOLO export that is imported again', () => {
  const corners = [0.01, 1.37, 33.33, 64.5, 99.99]

  test.each([
    [100, 80],
    [320, 240],
    [1920, 1080],
    [6016, 4016],
  ])('keeps boxes on images of %i x %i to a hundredth of a pixel', async (width, height) => {
    const pictures = framesOf(['a.jpg', 'b.jpg'], width, height)
    const shapes = corners.flatMap((x, index) =>
      corners
        .filter((y) => y < height)
        .map((y) => {
          const right = Math.round((x + y + 7) * 100) / 100
          const points = [x, y, Math.min(width, right), Math.min(height, y + 5)]
          return shapeOf({ label_id: 3, frame: index % 2, points })
        }),
    )
    const sorted = shapes.toSorted((a, b) => a.frame - b.frame)
    const { bytes, files } = await exported(datasetOf(labels, pictures, { shapes: sorted }))
    const again = await importBytes(yolo, bytes, targetOf(labels, pictures))
    expect(again.shapes).toEqual(sorted)
    const second = await exported(datasetOf(labels, pictures, { shapes: again.shapes }))
    expect(second.files).toEqual(files)
  })

  test('is stable from the first round trip on for images of any size', async () => {
    const pictures = framesOf(['a.jpg'], 60_013, 7)
    const shapes = [shapeOf({ label_id: 3, points: [1.234567, 0.777777, 40_000.005, 3.3333] })]
    const first = await exported(datasetOf(labels, pictures, { shapes }))
    const again = await importBytes(yolo, first.bytes, targetOf(labels, pictures))
    const second = await exported(datasetOf(labels, pictures, { shapes: again.shapes }))
    expect(second.files).toEqual(first.files)
    expect(second.bytes.equals(first.bytes)).toBe(true)
  })

  test('distinguishes images that differ only by extension', async () => {
    const pictures = framesOf(['a.jpg', 'a.png', 'a.png.jpg'])
    const shapes = pictures.map(({ frame }) => shapeOf({ label_id: 3, frame }))
    const { bytes, files, report } = await exported(datasetOf(labels, pictures, { shapes }))
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['obj_train_data/a.txt', 'obj_train_data/a.png.txt']),
    )
    expect(report.entries).toMatchObject([
      { code: 'duplicate-entry', count: 2, examples: [{ item: 'a.png' }, { item: 'a.png.jpg' }] },
    ])
    const again = await importBytes(yolo, bytes, targetOf(labels, pictures))
    expect(again.shapes).toEqual(shapes)
  })

  test('keeps the annotations of a video with a step', async () => {
    const video = framesOf(['frame_000010.PNG', 'frame_000015.PNG'])
    const shapes = [shapeOf({ label_id: 6, frame: 1 })]
    const { bytes } = await exported(datasetOf(labels, video, { shapes }))
    const whole = { is_video: true, start_frame: 10, step: 5, includes: () => true }
    const target = { labels, frames: { frames: framesOf(['x', 'y']), ...whole } }
    expect((await importBytes(yolo, bytes, target)).shapes).toEqual(shapes)
  })
})
