import { deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writeGrey16Png, writePalettePng, writeRgbPng } from '../../image/png.ts'
import { FormatError } from '../../report/errors.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  membersOf,
  shapeOf,
  targetOf,
  zipOf,
} from '../../testing/run.ts'
import { encodeRecord, type Features, recordOf } from '../../testing/tfrecord.ts'
import { tfrecord } from '../tfrecord.ts'

const labels = [labelOf({ id: 5, name: 'car' }), labelOf({ id: 9, name: 'Straße' })]
const frames = framesOf(['a.jpg', 'b.jpg'])
const labelMap = `item { id: 1 name: 'car' } item { id: 2 name: 'Straße' }`

const boxes = (...all: [number, number, number, number][]) => ({
  'image/object/bbox/xmin': all.map(([left]) => left),
  'image/object/bbox/ymin': all.map(([, top]) => top),
  'image/object/bbox/xmax': all.map(([, , right]) => right),
  'image/object/bbox/ymax': all.map(([, , , bottom]) => bottom),
})
const text = (...names: string[]) => ({ 'image/object/class/text': names })
const ids = (...values: number[]) => ({ 'image/object/class/label': values })
const half: [number, number, number, number] = [0.25, 0.25, 0.5, 0.5]
const car = { 'image/filename': 'a.jpg', ...boxes(half), ...text('car'), ...ids(1) }
const points = [25, 20, 50, 40]

const imported = async (
  files: Record<string, string | Uint8Array>,
  target = targetOf(labels, frames),
) => importBytes(tfrecord, await zipOf(files), target)

const importedRecord = (features: Features, map: string | undefined = labelMap) =>
  imported({
    'x.tfrecord': recordOf(features),
    ...(map !== undefined && { 'label_map.pbtxt': map }),
  })

test('a box is read relative to its frame', async () => {
  const { shapes, report, progress } = await importedRecord({ ...car, 'image/filename': 'b.jpg' })
  expect(shapes).toEqual([shapeOf({ frame: 1, label_id: 5, points })])
  expect(report).toMatchObject({ created: { shapes: 1 }, entries: [] })
  expect(progress.at(-1)).toBe(1)
})

describe('the frame of a record', () => {
  test.each([
    ['is found by its name', { 'image/filename': 'a.jpg' }],
    ['without extension', { 'image/filename': 'a.png' }],
    ['without folders', { 'image/filename': '/home/me/pictures/a.jpg' }],
    ['by the source where there is no name', { 'image/filename': '', 'image/source_id': 'a' }],
  ])('%s', async (_, names) => {
    const { 'image/filename': __, ...rest } = car
    const { shapes } = await importedRecord({ ...rest, ...names })
    expect(shapes).toMatchObject([{ frame: 0, points }])
  })

  test('is not found by the number in its source id', async () => {
    const { 'image/filename': _, ...rest } = car
    const attempt = importedRecord({ ...rest, 'image/source_id': '0' })
    await expect(attempt).rejects.toThrow('1 annotated item has no matching frame in this task: 0')
  })

  test('is found below folders that all names in the file lack', async () => {
    const target = targetOf(labels, framesOf(['up/1/a.jpg', 'up/2/a.jpg']))
    const records = [
      recordOf({ ...car, 'image/filename': 'a.jpg' }),
      recordOf({ ...car, 'image/filename': '2/a.jpg' }),
    ]
    const attempt = imported({ 'x.tfrecord': Buffer.concat(records) }, target)
    await expect(attempt).rejects.toThrow('1 annotated item has no matching frame')
    const { shapes } = await imported({ 'x.tfrecord': records[1] ?? '' }, target)
    expect(shapes).toMatchObject([{ frame: 1 }])
  })

  test('may be missing only without annotations', async () => {
    const bare = recordOf({ 'image/filename': 'other.jpg' })
    expect((await imported({ 'x.tfrecord': bare })).shapes).toEqual([])
    await expect(importedRecord({ ...car, 'image/filename': 'other.jpg' })).rejects.toThrow(
      '1 annotated item has no matching frame in this task: other.jpg',
    )
  })
})

describe('the label of an object', () => {
  test('is found by its text, then by its id', async () => {
    const { shapes } = await importedRecord({
      'image/filename': 'a.jpg',
      ...boxes(half, half, half),
      ...text('Straße', '', 'car'),
      ...ids(1, 1, 2),
    })
    expect(shapes.map(({ label_id }) => label_id)).toEqual([9, 5, 5])
  })

  test('is found by ids alone', async () => {
    const { shapes } = await importedRecord({
      'image/filename': 'a.jpg',
      ...boxes(half),
      ...ids(2),
    })
    expect(shapes.map(({ label_id }) => label_id)).toEqual([9])
  })

  test('is derived from other objects without a label map', async () => {
    const records = [
      recordOf({ 'image/filename': 'a.jpg', ...boxes(half), ...ids(7) }),
      recordOf({ 'image/filename': 'b.jpg', ...boxes(half), ...text('Straße'), ...ids(7) }),
    ]
    const { shapes, progress } = await imported({ 'x.tfrecord': Buffer.concat(records) })
    expect(shapes.map(({ frame, label_id }) => [frame, label_id])).toEqual([
      [0, 9],
      [1, 9],
    ])
    expect(progress).toEqual([0.5, 1])
  })

  test('is missing without text and id, and the object is skipped', async () => {
    const { shapes, report } = await importedRecord({
      'image/filename': 'a.jpg',
      ...boxes(half, half),
      ...text('', ''),
      ...ids(0, 8),
    })
    expect(shapes).toEqual([])
    expect(report.entries).toMatchObject([
      {
        kind: 'skipped',
        code: 'unlabelled',
        count: 2,
        examples: [{ file: 'x.tfrecord', item: 'record 1, object 1' }, {}],
      },
    ])
  })

  test('must be a label of the task', async () => {
    await expect(importedRecord({ ...car, ...text('bus') })).rejects.toThrow(
      "Label 'bus' is not registered for this task",
    )
  })
})

test('boxes are clipped to the image, and skipped when nothing remains', async () => {
  const given = boxes([-0.5, 0.25, 0.5, 1.5], [1.5, 0, 2, 1], [0.5, 0.5, 0.5, 0.75])
  const { shapes, report } = await importedRecord({
    'image/filename': 'a.jpg',
    ...given,
    ...text('car', 'car', 'car'),
  })
  expect(shapes).toMatchObject([{ points: [0, 20, 50, 80] }])
  expect(report.entries).toMatchObject([
    { kind: 'converted', code: 'clipped', count: 1 },
    { kind: 'skipped', code: 'degenerate-shape', count: 2 },
  ])
})

describe('masks of a TFRecord import', () => {
  const pixels = (width: number, height: number, ...set: number[]) =>
    Uint8Array.from({ length: width * height }, (_, at) => (set.includes(at) ? 1 : 0))
  const palette = [{ color: 0 }, { color: 0xff0000 }]
  const small = targetOf(labels, framesOf(['a.jpg'], 4, 3))
  const maskOf = (set: number[]) =>
    Buffer.from(writePalettePng(4, 3, pixels(4, 3, ...set), palette))
  const recordWith = (...masks: Uint8Array[]) => {
    const names = masks.map(() => 'car')
    return recordOf({ 'image/filename': 'a.jpg', ...text(...names), 'image/object/mask': masks })
  }

  test('replace boxes, and consist of the pixels that are not black', async () => {
    const colors = new Uint32Array(12)
    colors[6] = 0x000100
    const grey = Uint16Array.from({ length: 12 }, (_, at) => (at === 0 || at === 11 ? 9 : 0))
    const masks = [maskOf([5, 6, 9]), writeRgbPng(4, 3, colors), writeGrey16Png(4, 3, grey)]
    const { shapes } = await imported({ 'x.tfrecord': recordWith(...masks) }, small)
    expect(shapes).toMatchObject([
      { type: 'mask', label_id: 5, points: [0, 3, 1, 1, 1, 2, 2] },
      { type: 'mask', points: [0, 1, 2, 1, 2, 1] },
      { type: 'mask', points: [0, 1, 10, 1, 0, 0, 3, 2] },
    ])
  })

  test('are skipped without a pixel, and an empty mask is replaced by the box', async () => {
    const masks = { 'image/object/mask': [maskOf([]), Buffer.alloc(0)] }
    const record = recordOf({
      'image/filename': 'a.jpg',
      ...boxes(half, half),
      ...text('car', 'car'),
      ...masks,
    })
    const { shapes, report } = await imported({ 'x.tfrecord': record }, small)
    expect(shapes).toMatchObject([{ type: 'rectangle', points: [1, 0.75, 2, 1.5] }])
    expect(report.entries).toMatchObject([{ kind: 'skipped', code: 'degenerate-shape', count: 1 }])
  })

  test.each([
    [
      'of another size',
      maskOf([1]),
      'record 1, object 1: mask of 4 x 3 pixels on a frame of 100 x 80',
    ],
    ['that are no PNG', Buffer.from('none'), 'record 1, object 1: the PNG picture cannot be read'],
  ])('%s are refused', async (_, mask, reason) => {
    await expect(imported({ 'x.tfrecord': recordWith(mask) })).rejects.toThrow(FormatError)
    await expect(imported({ 'x.tfrecord': recordWith(mask) })).rejects.toThrow(reason)
  })
})

describe('files of a TFRecord import', () => {
  const record = recordOf(car)
  test.each([
    ['in a folder', 'set/train.tfrecord', record],
    ['of another ending', 'train.record', record],
    ['of shards', 'train.tfrecord-00000-of-00010', record],
    ['of shards with the number before the ending', 'train-00000-of-00010.tfrecord', record],
    ['packed by gzip', 'train.tfrecord', gzipSync(record)],
    ['packed by zlib', 'train.tfrecord.gz', deflateSync(record)],
  ])('%s are read', async (_, name, bytes) => {
    expect((await imported({ [name]: bytes })).shapes).toMatchObject([{ points }])
  })

  test('that start like compressed files are recognized as records', async () => {
    for (const start of [0x0178, 0x8b1f]) {
      const bare = recordOf({ ...car, 'image/encoded': '' }).length - 16
      // The length takes two or three bytes in each of the messages around the image.
      const fit = [...Array(40).keys()]
        .map((less) => recordOf({ ...car, 'image/encoded': Buffer.alloc(start - bare - less) }))
        .find((one) => one.readUInt16LE(0) === start)
      expect(fit?.readUInt16LE(0)).toBe(start)
      expect((await imported({ 'x.tfrecord': fit ?? '' })).shapes).toMatchObject([{ points }])
    }
  })

  test('use the label map next to them, or else one from anywhere', async () => {
    const byId = recordOf({ 'image/filename': 'a.jpg', ...boxes(half), ...ids(1) })
    const other = `item { id: 1 name: 'Straße' }`
    const labelOfFile = async (maps: Record<string, string>) =>
      (await imported({ 'train/x.record': byId, ...maps })).shapes.map(({ label_id }) => label_id)
    expect(await labelOfFile({ 'train/a.pbtxt': labelMap, 'label_map.pbtxt': other })).toEqual([5])
    expect(
      await labelOfFile({ 'train/x_label_map.pbtxt': labelMap, 'train/a.pbtxt': other }),
    ).toEqual([5])
    expect(await labelOfFile({ 'any/names.pbtxt': other })).toEqual([9])
    expect(await labelOfFile({ 'any/label_map.pbtxt': other, 'a.pbtxt': labelMap })).toEqual([9])
  })

  test.each([
    ['no archive', Buffer.from('{}'), 'expected a ZIP archive'],
    ['an archive without any', { 'a.txt': 'x' }, 'no TFRecord files: expected <subset>.tfrecord'],
    [
      'one that is no records',
      { 'a.tfrecord': 'this is none at all' },
      'a.tfrecord: record 1: the length has a wrong checksum at byte 0',
    ],
    [
      'one packed and damaged',
      { 'a.tfrecord': gzipSync(record).subarray(0, -9) },
      'a.tfrecord: the file does not unpack',
    ],
    [
      'one that is cut off',
      { 'a.tfrecord': record.subarray(0, -1) },
      'record 1: the record is cut off at byte 0',
    ],
    [
      'a label map that is none',
      { 'a.tfrecord': record, 'a.pbtxt': '{}' },
      'a.pbtxt: expected item, found { at line 1',
    ],
  ])('%s is refused', async (_, given, reason) => {
    const bytes = Buffer.isBuffer(given) ? given : await zipOf(given)
    const attempt = importBytes(tfrecord, bytes, targetOf(labels, frames))
    await expect(attempt).rejects.toThrow(FormatError)
    await expect(attempt).rejects.toThrow(reason)
  })
})

test.each([
  [
    'lists of several lengths',
    { ...car, ...text('car', 'car') },
    'record 1: class/text has 2 values, class/label has 1',
  ],
  ['boxes that lack a side', { ...car, 'image/object/bbox/xmax': [] }, 'the boxes lack a side'],
  [
    'objects without boxes',
    { 'image/filename': 'a.jpg', ...text('car') },
    'the objects have neither boxes nor masks',
  ],
  [
    'a box that is no number',
    { ...car, ...boxes([Number.NaN, 0, 1, 1]) },
    'record 1, object 1: the box is no four numbers',
  ],
  [
    'an infinite box',
    { ...car, ...boxes([0, 0, 1, Number.POSITIVE_INFINITY]) },
    'the box is no four numbers',
  ],
  [
    'a name that is no text',
    { ...car, 'image/filename': 7 },
    'image/filename is a list of whole numbers, expected bytes',
  ],
])('a record with %s is refused', async (_, features, reason) => {
  await expect(importedRecord(features)).rejects.toThrow(FormatError)
  await expect(importedRecord(features)).rejects.toThrow(reason)
})

test('only frames of the job accept annotations', async () => {
  const target = targetOf(labels, frames)
  const job = { ...target, frames: { ...target.frames, includes: (frame: number) => frame === 1 } }
  const { shapes, report } = await imported({ 'x.tfrecord': recordOf(car) }, job)
  expect(shapes).toEqual([])
  expect(report.entries).toMatchObject([{ code: 'frame-outside-job', count: 1 }])
})

test('boxes survive an export and import, and further exports are equal', async () => {
  const side = fc.double({ min: 0, max: 1, noNaN: true })
  const box = fc.tuple(side, side, side, side)
  const [width, height] = [1999, 1499]
  const large = framesOf(['a.jpg'], width, height)
  await fc.assert(
    fc.asyncProperty(fc.array(box, { maxLength: 5 }), async (given) => {
      const shapes = given.map(([a, b, c, d]) =>
        shapeOf({
          label_id: 5,
          points: [
            a * (width - 1),
            b * (height - 1),
            a * (width - 1) + 0.01 + c * (1 - a),
            b * (height - 1) + 0.01 + d * (1 - b),
          ],
        }),
      )
      const first = await exportBytes(tfrecord.exporter, datasetOf(labels, large, { shapes }))
      const read = await importBytes(tfrecord, first.bytes, targetOf(labels, large))
      expect(read.shapes).toHaveLength(shapes.length)
      for (const [index, shape] of read.shapes.entries())
        for (const [at, value] of shape.points.entries())
          expect(Math.abs(value - (shapes[index]?.points[at] ?? 0))).toBeLessThan(1e-3)
      const second = await exportBytes(
        tfrecord.exporter,
        datasetOf(labels, large, { shapes: read.shapes }),
      )
      expect(await membersOf(second.bytes)).toEqual(await membersOf(first.bytes))
    }),
    { numRuns: 30 },
  )
})

test('files with changed bytes are imported or refused with a FormatError', async () => {
  const data = recordOf({ ...car, 'image/encoded': 'x' }).subarray(12, -4)
  const change = fc.tuple(fc.nat(data.length - 1), fc.nat(255))
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const damaged = Buffer.from(data)
      for (const [at, byte] of changes) damaged[at] = byte
      const attempt = imported({ 'x.tfrecord': encodeRecord(damaged), 'label_map.pbtxt': labelMap })
      const failure = await attempt.then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure !== undefined) expect(failure).toBeInstanceOf(FormatError)
    }),
    { numRuns: 500 },
  )
})
