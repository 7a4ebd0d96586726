import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import type { FileSubset } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { collectAll, createRun, framesOf, labelOf, targetOf, zipOf } from '../../testing/run.ts'
import { type Features, recordOf } from '../../testing/tfrecord.ts'
import { openTfDataset } from './dataset.ts'

const opened = async (files: Record<string, string | Uint8Array>, run = createRun().run) =>
  openTfDataset(sourceOf(await zipOf(files)), run)

async function imagesOf({ embedded }: FileSubset) {
  const images = await collectAll(embedded?.())
  return images.map(({ name, content }) => [name, Buffer.from(content).toString()])
}

const pictureOf = (name: string, content: string, more: Features = {}) =>
  recordOf({ 'image/filename': name, 'image/encoded': content, ...more })

const box = {
  'image/object/bbox/xmin': 0.25,
  'image/object/bbox/ymin': 0.25,
  'image/object/bbox/xmax': 0.5,
  'image/object/bbox/ymax': 0.5,
}
const car = { ...box, 'image/object/class/text': 'car' }

test('a dataset has a subset for each file name, with images in the order of the records', async () => {
  const { subsets, labels } = await opened({
    'val.record': pictureOf('a.jpg', 'v'),
    'train.tfrecord-00001-of-00002': pictureOf('c.jpg', '3'),
    'train.tfrecord-00000-of-00002': Buffer.concat([
      pictureOf('b\\b.jpg', '1', car),
      pictureOf('./a.jpg', '2', { ...box, 'image/object/class/text': 'bus' }),
    ]),
    'label_map.pbtxt': `item { id: 2 name: 'road' } item { id: 1 name: 'car' } item { id: 3 name: 'background' }`,
  })
  expect(subsets.map(({ name, images }) => [name, images])).toEqual([
    ['train', []],
    ['val', []],
  ])
  expect(await Promise.all(subsets.map(imagesOf))).toEqual([
    [
      ['b/b.jpg', '1'],
      ['a.jpg', '2'],
      ['c.jpg', '3'],
    ],
    [['a.jpg', 'v']],
  ])
  expect(labels.map(({ name }) => name)).toEqual(['car', 'road', 'bus'])
})

test('files with equal names become subsets named after their folders', async () => {
  const { subsets } = await opened({
    'test/set.tfrecord': pictureOf('a.jpg', '1'),
    'train/set.tfrecord': pictureOf('a.jpg', '2'),
  })
  expect(subsets.map(({ name }) => name)).toEqual(['test', 'train'])
})

test('annotations are assigned to the frames with the names of their images', async () => {
  const { subsets } = await opened({
    'x.tfrecord': Buffer.concat([pictureOf('b/a.jpg', '1'), pictureOf('a.jpg', '2', car)]),
  })
  const [subset] = subsets
  if (!subset) throw new Error('a subset')
  const names = (await imagesOf(subset)).map(([name = '']) => name)
  const target = targetOf([labelOf({ id: 5, name: 'car' })], framesOf(names))
  const read = await collectAll(subset.importAnnotations(target, createRun().run))
  expect(read).toMatchObject([
    { kind: 'shape', shape: { frame: 1, label_id: 5, points: [25, 20, 50, 40] } },
  ])
})

test.each([
  [
    'of the source, with the ending of its format',
    { 'image/source_id': '7', 'image/format': 'jpeg' },
    '7.jpg',
  ],
  ['of the source as it is', { 'image/source_id': '7.webp', 'image/format': 'jpeg' }, '7.webp'],
  ['from the root on', { 'image/filename': 'C:\\pictures\\a.jpg' }, 'pictures/a.jpg'],
])('a frame is named %s', async (_, features, name) => {
  const { subsets } = await opened({
    'x.tfrecord': recordOf({ 'image/encoded': '1', ...features }),
  })
  expect(await Promise.all(subsets.map(imagesOf))).toEqual([[[name, '1']]])
})

test('the first of several images with equal names is used, and records without an image are skipped', async () => {
  const run = createRun().run
  const { subsets } = await opened(
    {
      'x.tfrecord': Buffer.concat([
        pictureOf('a.jpg', '1'),
        pictureOf('a.jpg', '2'),
        pictureOf('b.jpg', ''),
      ]),
      'none.tfrecord': '',
    },
    run,
  )
  expect(await Promise.all(subsets.map(imagesOf))).toEqual([[['a.jpg', '1']]])
  expect(run.report.read().entries).toMatchObject([
    { code: 'ignored-file', examples: [{ file: 'none.tfrecord' }] },
    { code: 'ignored-file', examples: [{ file: 'none' }] },
    { code: 'duplicate-entry', examples: [{ file: 'x.tfrecord', item: 'a.jpg' }] },
  ])
})

describe('a TFRecord import into a project refuses', () => {
  test.each([
    [
      'without pictures',
      pictureOf('a.jpg', '', car),
      'x.tfrecord: none of its images is in the archive',
    ],
    ['without records', '', 'x.tfrecord: the file is empty: it has no record'],
    [
      'without one that has annotations',
      Buffer.concat([pictureOf('a.jpg', '', car), pictureOf('b.jpg', '1')]),
      '1 images that have annotations are not in the archive: a.jpg',
    ],
    [
      'with a name that leads elsewhere',
      pictureOf('../a.jpg', '1'),
      "x.tfrecord: record 1: bad filename '../a.jpg'",
    ],
    [
      'without names',
      recordOf({ 'image/encoded': '1' }),
      'record 1: neither filename nor source_id',
    ],
  ])('%s', async (_, records, reason) => {
    await expect(opened({ 'x.tfrecord': records })).rejects.toThrow(FormatError)
    await expect(opened({ 'x.tfrecord': records })).rejects.toThrow(reason)
  })
})
