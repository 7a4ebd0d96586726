import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { writeRgbPng } from '../../image/png.ts'
import { expectReadOrRefused } from '../../testing/damage.ts'
import {
  createRun,
  framesOf,
  importBytes,
  labelOf,
  type NamedFiles,
  targetOf,
  zipOf,
} from '../../testing/run.ts'
import { encodeRecord, exampleOf, type Features, field, recordOf } from '../../testing/tfrecord.ts'
import { tfrecord } from '../tfrecord.ts'
import { openTfDataset } from './dataset.ts'

/** Archives in the variants of tutorials and tools. */

/** An image with one car. */
const features: Features = {
  'image/height': 80,
  'image/width': 100,
  'image/filename': 'a.jpg',
  'image/source_id': 'a.jpg',
  'image/encoded': 'x',
  'image/format': 'jpg',
  'image/object/bbox/xmin': [0.25],
  'image/object/bbox/xmax': [0.5],
  'image/object/bbox/ymin': [0.25],
  'image/object/bbox/ymax': [0.5],
  'image/object/class/text': ['car'],
  'image/object/class/label': [1],
}
const a = recordOf(features)
const b = (more: Features = {}) =>
  recordOf({ ...features, 'image/filename': 'b.jpg', ...more }, false)

async function imported(files: NamedFiles) {
  const target = targetOf([labelOf({ name: 'car' })], framesOf(['a.jpg', 'b.jpg']))
  return importBytes(tfrecord, await zipOf(files), target)
}

const both = [0, 1]

test.each<[string, NamedFiles, number[], string[]]>([
  [
    'of the tutorials of TensorFlow, lists packed or not',
    {
      'train.record': a,
      'test.record': b(),
      'label_map.pbtxt': "item {\n  name:'car'\n  id:1\n}\n",
    },
    both,
    ['test', 'train'],
  ],
  [
    'of Roboflow, a label map for each file',
    {
      'train/Cars.tfrecord': a,
      'train/Cars_label_map.pbtxt': 'item {\r\n    name: "car",\r\n    id: 1\r\n}\r\n',
      'valid/Cars.tfrecord': b(),
      'valid/Cars_label_map.pbtxt': 'item {\r\n    name: "car",\r\n    id: 1\r\n}\r\n',
    },
    both,
    ['train', 'valid'],
  ],
  [
    'of COCO in shards, with ids for names in its label map',
    {
      'coco_train.record-00000-of-00003': recordOf({ ...features, 'image/object/class/text': [] }),
      'coco_train.record-00001-of-00003': '',
      'coco_train.record-00002-of-00003': b({ 'image/object/class/text': [] }),
      'mscoco_label_map.pbtxt': 'item {\n  name: "/m/0k4j"\n  id: 1\n  display_name: "car"\n}\n',
    },
    both,
    ['coco_train'],
  ],
  [
    'with the paths of the machine they were made on, ids of another label map, and no objects',
    {
      'train.tfrecord': recordOf({ ...features, 'image/filename': 'C:\\set\\a.jpg' }),
      'val.tfrecord': recordOf({ 'image/filename': 'b.jpg', 'image/encoded': 'x' }),
      'label_map.pbtxt': "item { id: 1 name: 'dog' }",
    },
    [0],
    ['train', 'val'],
  ],
  [
    'of ImageNet, whose shards have no ending',
    { 'train-00000-of-00001': a, 'validation-00000-of-00001': b() },
    both,
    ['train', 'validation'],
  ],
  ['of Kaggle', { 'train00-16.tfrec': a, 'val.records': b() }, both, ['train00-16', 'val']],
  [
    'in shards that are packed, one by one',
    {
      'train.tfrecord-00000-of-00002': gzipSync(a),
      'train.tfrecord-00001-of-00002.gz': gzipSync(b()),
    },
    both,
    ['train'],
  ],
  [
    'of macOS',
    { 'train.record': a, '__MACOSX/._train.record': 'x', '._train.record': 'x' },
    [0],
    ['train'],
  ],
])('records %s are read', async (_, files, frames, subsets) => {
  const { shapes } = await imported(files)
  expect(shapes.map(({ frame }) => frame).sort()).toEqual(frames)
  expect(shapes[0]?.points).toEqual([25, 20, 50, 40])
  const set = await openTfDataset(sourceOf(await zipOf(files)), createRun().run)
  expect(set.subsets.map(({ name }) => name)).toEqual(subsets)
  expect(set.labels.map(({ name }) => name)).toContain('car')
})

test.each<[string, Features, string]>([
  [
    'boxes in pixels',
    { ...features, 'image/object/bbox/xmax': [50], 'image/object/bbox/ymax': [40] },
    'x.record: record 1, object 1: the box looks like one in pixels, expected shares',
  ],
  [
    'boxes of another schema',
    { 'image/filename': 'a.jpg', image: 'x', 'objects/bbox': [0.1, 0.1, 0.5, 0.5] },
    'x.record: record 1: the boxes are in objects/bbox, expected image/object/bbox/xmin',
  ],
  [
    'features of anything else',
    { image: 'x', class: 3, id: 'a' },
    'x.record: record 1: the record is no picture with objects: expected image/filename, found image, class, id',
  ],
  ['nothing', {}, 'expected image/filename, found no feature at all'],
])('records with %s are refused', async (_, given, message) => {
  await expect(imported({ 'x.record': recordOf(given) })).rejects.toThrow(message)
})

test.each([
  ['a frame of Waymo', field(1, field(1, Buffer.from('10017090168044687777')))],
  ['a sequence', Buffer.concat([exampleOf(features), field(2, Buffer.alloc(0))])],
])('records of %s are refused', async (_, data) => {
  const attempt = imported({ 'x.record': encodeRecord(data) })
  await expect(attempt).rejects.toThrow(/^x\.record: record 1: .*tf\.train\.Example at byte 0$/)
})

test('missing shards are reported', async () => {
  const { report } = await imported({ 'train-00003-of-00010.tfrecord': a })
  expect(report.entries).toMatchObject([
    { code: 'ignored-file', count: 9, examples: [{ file: 'train-of-00010' }] },
  ])
})

test('classes of whole images are reported as not imported', async () => {
  const record = recordOf({ ...features, 'image/class/label': 3, 'image/class/text': 'street' })
  const { shapes, report } = await imported({ 'x.record': record })
  expect(shapes).toHaveLength(1)
  expect(report.entries).toMatchObject([{ reason: 'classes of whole pictures are not read' }])
})

test('boxes are relative to the frame regardless of the size in the record', async () => {
  const sizes: Features[] = [{ 'image/width': 7, 'image/height': 0 }, { 'image/width': [] }]
  for (const size of sizes) {
    const { shapes } = await imported({ 'x.record': recordOf({ ...features, ...size }) })
    expect(shapes.map(({ points }) => points)).toEqual([[25, 20, 50, 40]])
  }
})

test('an archive with random damage is imported or refused with a FormatError', async () => {
  const mask = {
    'image/object/mask': [Buffer.from(writeRgbPng(100, 80, new Uint32Array(8000).fill(7, 9, 99)))],
  }
  const files = {
    'train.record-00000-of-00002': a,
    'train.record-00001-of-00002': b(mask),
    'val.tfrecord.gz': gzipSync(b()),
    'label_map.pbtxt': "item {\n  name: 'car'\n  id: 1\n}\n",
  }
  const target = targetOf([labelOf({ name: 'car' })], framesOf(['a.jpg', 'b.jpg']))
  await expectReadOrRefused(tfrecord, files, target)
})
