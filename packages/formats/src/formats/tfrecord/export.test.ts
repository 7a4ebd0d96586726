import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { DatasetShape, ItemFrame } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import {
  createRun,
  datasetOf,
  exportBytes,
  framesOf,
  labelOf,
  membersOf,
  shapeOf,
  trackOf,
  trackShapeOf,
} from '../../testing/run.ts'
import { picturesIn, recordOf } from '../../testing/tfrecord.ts'
import { tfrecord } from '../tfrecord.ts'

const labels = [labelOf({ id: 5, name: 'car' }), labelOf({ id: 9, name: 'Straße' })]
const bareOf = (filename: string, more: object = {}) => ({
  'image/encoded': '',
  'image/filename': filename,
  'image/format': '',
  'image/height': 80,
  'image/key/sha256': '',
  ...more,
  'image/source_id': '',
  'image/width': 100,
})

async function exported(given: Parameters<typeof datasetOf>[2], frames = framesOf(['a.jpg'])) {
  const { bytes, report } = await exportBytes(tfrecord.exporter, datasetOf(labels, frames, given))
  const members = await membersOf(bytes)
  return { members, report, records: members['default.tfrecord'] ?? Buffer.alloc(0) }
}

/** Returns the objects of the first image of an export. */
async function objectsOf(shapes: DatasetShape[]) {
  const { records, report } = await exported({ shapes })
  const [picture] = await picturesIn(records)
  return { objects: picture?.objects ?? [], report }
}

test('frames without annotations are exported as records', async () => {
  const { members } = await exported({}, framesOf(['a.jpg', 'ü ü/b.2.PNG']))
  expect(Object.keys(members)).toEqual(['label_map.pbtxt', 'default.tfrecord'])
  const expected = [bareOf('a.jpg'), bareOf('ü ü/b.2.PNG')].map((one) => recordOf(one))
  expect(members['default.tfrecord']).toEqual(Buffer.concat(expected))
  expect(String(members['label_map.pbtxt'])).toBe(
    `item {\n\tid: 1\n\tname: 'car'\n}\n\nitem {\n\tid: 2\n\tname: 'Straße'\n}\n\n`,
  )
})

test('a task without frames is exported as an empty file', async () => {
  const { members } = await exported({}, [])
  expect(members['default.tfrecord']).toHaveLength(0)
})

test('objects are exported as lists of sides, names and ids', async () => {
  const shapes = [
    shapeOf({ label_id: 5, points: [25, 20, 50, 40] }),
    shapeOf({ label_id: 9, points: [0, 0, 100, 80] }),
  ]
  const { records, report } = await exported({ shapes })
  const objects = {
    'image/object/bbox/xmax': [0.5, 1],
    'image/object/bbox/xmin': [0.25, 0],
    'image/object/bbox/ymax': [0.5, 1],
    'image/object/bbox/ymin': [0.25, 0],
    'image/object/class/label': [1, 2],
    'image/object/class/text': ['car', 'Straße'],
  }
  expect(records).toEqual(recordOf(bareOf('a.jpg', objects)))
  expect(report).toMatchObject({ created: { shapes: 2 }, entries: [] })
})

describe('boxes of a TFRecord export', () => {
  test('enclose masks and ellipses, and this is reported', async () => {
    const { objects, report } = await objectsOf([
      shapeOf({ label_id: 5, type: 'mask', points: [0, 50, 25, 20, 49, 21] }),
      shapeOf({ label_id: 5, type: 'ellipse', points: [50, 40, 25, 20] }),
      shapeOf({ label_id: 5, type: 'ellipse', points: [50, 40, 40, 25], rotation: 90 }),
    ])
    expect(objects.map(({ box }) => box)).toEqual([
      [0.25, 0.25, 0.5, Math.fround(22 / 80)],
      [0.25, 0.25, 0.75, 0.75],
      [0.25, 0, 0.75, 1],
    ])
    expect(report.entries).toMatchObject([
      { code: 'unsupported-rotation', count: 1 },
      { kind: 'converted', count: 1, reason: 'masks are written as boxes' },
      { kind: 'converted', count: 2, reason: 'ellipses are written as boxes' },
    ])
  })

  test('of a group are merged, with the label of the largest member', async () => {
    const { objects, report } = await objectsOf([
      shapeOf({ label_id: 5, group: 1, points: [25, 20, 30, 30] }),
      shapeOf({ label_id: 9, group: 1, points: [30, 30, 75, 60] }),
      shapeOf({ label_id: 5, group: 2, points: [0, 0, 50, 40] }),
    ])
    expect(objects).toMatchObject([
      { text: 'Straße', id: 2, box: [0.25, 0.25, 0.75, 0.75] },
      { text: 'car', id: 1, box: [0, 0, 0.5, 0.5] },
    ])
    expect(report.entries).toMatchObject([{ kind: 'converted', code: 'merged-group', count: 1 }])
  })

  test('are clipped to the image, and dropped when they are outside it', async () => {
    const { objects, report } = await objectsOf([
      shapeOf({ label_id: 5, points: [-10, 20, 50, 90] }),
      shapeOf({ label_id: 5, points: [110, 20, 150, 90] }),
      shapeOf({ label_id: 5, points: [10, 20, 10, 30] }),
    ])
    expect(objects.map(({ box }) => box)).toEqual([[0, 0.25, 0.5, 1]])
    expect(report.entries).toMatchObject([
      { kind: 'converted', code: 'clipped', count: 1 },
      { kind: 'dropped', code: 'degenerate-shape', count: 2 },
    ])
  })

  test('are in painting order', async () => {
    const { objects } = await objectsOf([
      shapeOf({ label_id: 5, z_order: 2 }),
      shapeOf({ label_id: 9, z_order: 1 }),
    ])
    expect(objects.map(({ text }) => text)).toEqual(['Straße', 'car'])
  })
})

test('tracks of a video are exported as boxes on their visible frames', async () => {
  const frames = ['frame_000010.PNG', 'frame_000015.PNG', 'frame_000020.PNG']
  const track = trackOf(
    [
      trackShapeOf({ points: [0, 0, 50, 40] }),
      trackShapeOf({ frame: 1, points: [50, 40, 100, 80] }),
      trackShapeOf({ frame: 2, outside: true }),
    ],
    { label_id: 5 },
  )
  const { records, report } = await exported({ tracks: [track] }, framesOf(frames))
  const pictures = await picturesIn(records)
  expect(pictures.map(({ name, objects }) => [name, objects.map(({ box }) => box)])).toEqual([
    ['frame_000010.PNG', [[0, 0, 0.5, 0.5]]],
    ['frame_000015.PNG', [[0.5, 0.5, 1, 1]]],
    ['frame_000020.PNG', []],
  ])
  expect(report.entries).toMatchObject([{ kind: 'converted', count: 1 }])
})

test('each subset is exported as a separate file', async () => {
  const one = datasetOf(labels, framesOf(['a.jpg']), {}, { name: 'Train/1' })
  const two = datasetOf(labels, framesOf(['a.jpg', 'b.jpg']), {}, { name: 'Val' })
  const both = { ...one, subsets: [...one.subsets, ...two.subsets] }
  const { bytes, progress } = await exportBytes(tfrecord.exporter, both)
  const members = await membersOf(bytes)
  expect(Object.keys(members)).toEqual(['label_map.pbtxt', 'Train_1.tfrecord', 'Val.tfrecord'])
  expect(await picturesIn(members['Val.tfrecord'] ?? Buffer.alloc(0))).toHaveLength(2)
  expect(progress.at(-1)).toBe(1)
})

test('subsets that map to the same file name are separated', async () => {
  const named = (name: string) => datasetOf(labels, framesOf(['a.jpg']), {}, { name })
  const [one, two] = [named('x/y'), named('x_y')]
  const both = { ...one, subsets: [...one.subsets, ...two.subsets] }
  const { bytes } = await exportBytes(tfrecord.exporter, both)
  const names = ['label_map.pbtxt', 'x_y.tfrecord', 'x_y_1.tfrecord']
  expect(Object.keys(await membersOf(bytes))).toEqual(names)
})

describe('a TFRecord export with images', () => {
  const withImage = (frame: ItemFrame, pieces: Iterable<Uint8Array>): ItemFrame => ({
    ...frame,
    image: async function* () {
      yield* pieces
    },
  })

  test('writes the bytes, format and hash of an image into its record', async () => {
    const picture = Buffer.alloc(200_000, 'picture')
    const frames = framesOf(['a.JPG', 'b.webp']).map((frame) =>
      withImage(frame, [picture.subarray(0, 7), picture.subarray(7)]),
    )
    const dataset = datasetOf(labels, frames, {}, { saveImages: true })
    const { bytes } = await exportBytes(tfrecord.exporter, dataset)
    const sha256 = createHash('sha256').update(picture).digest('hex')
    const more = { 'image/encoded': picture, 'image/key/sha256': sha256 }
    const expected = [
      recordOf({ ...bareOf('a.JPG'), ...more, 'image/format': 'jpeg' }),
      recordOf({ ...bareOf('b.webp'), ...more }),
    ]
    const { 'default.tfrecord': records } = await membersOf(bytes)
    expect(records?.equals(Buffer.concat(expected))).toBe(true)
    expect(bytes.includes(picture)).toBe(true)
  })

  test('holds one image at a time and does not copy it', async () => {
    const picture = Buffer.alloc(1024 ** 2, 'picture')
    let read = 0
    const frames = framesOf(['a.jpg', 'b.jpg', 'c.jpg']).map((frame) => ({
      ...frame,
      image: async function* () {
        read += 1
        yield picture
      },
    }))
    const { run } = createRun()
    const dataset = datasetOf(labels, frames, {}, { saveImages: true })
    const large: [number, number][] = []
    for await (const { content } of tfrecord.exporter?.exportDataset(dataset, run) ?? [])
      for await (const piece of typeof content === 'string' ? [] : content)
        if (typeof piece !== 'number' && piece.length > 65_536) large.push([read, piece.length])
    expect(large).toEqual([1, 2, 3].map((count) => [count, picture.length]))
  })

  test('refuses an image that is too large for a record, by its name', async () => {
    const mebibyte = Buffer.alloc(1024 ** 2)
    const [frame] = framesOf(['big.png']).map((one) => withImage(one, Array(65).fill(mebibyte)))
    const dataset = datasetOf(labels, frame ? [frame] : [], {}, { saveImages: true })
    const refused = exportBytes(tfrecord.exporter, dataset)
    await expect(refused).rejects.toThrow(FormatError)
    await expect(refused).rejects.toThrow('big.png: the image has more than 67108864 bytes')
  })
})
