import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import type { ItemFrame } from '../../model/dataset.ts'
import {
  collectAll,
  createRun,
  datasetOf,
  exportBytes,
  framesOf,
  labelOf,
  shapeOf,
  targetOf,
  zipOf,
} from '../../testing/run.ts'
import { yolo } from '../yolo.ts'
import { openYoloDataset } from './dataset.ts'

const opened = async (files: Record<string, string>) =>
  openYoloDataset(sourceOf(await zipOf(files)), createRun().run)

const box = '0 0.5 0.5 0.2 0.5\n'
const darknet = {
  'obj.data': 'train = data/train.txt\nvalid = data/valid.txt\nnames = data/obj.names\n',
  'obj.names': 'car\nbus\n',
  'train.txt': 'data/obj_train_data/a.jpg\ndata/obj_train_data/b/c.png\n',
  'valid.txt': 'data/obj_valid_data/a.jpg\n',
  'obj_train_data/b/c.txt': box,
  'obj_valid_data/a.txt': box,
}

describe('a YOLO dataset with images', () => {
  test('has the subsets of obj.data, with images under their paths below the folder', async () => {
    const { labels, subsets } = await opened({
      ...darknet,
      'obj_train_data/a.jpg': 'x',
      'obj_train_data/b/c.png': 'x',
      'obj_valid_data/a.jpg': 'x',
    })
    expect(labels.map(({ name }) => name)).toEqual(['car', 'bus'])
    expect(subsets.map(({ name, images }) => [name, images])).toEqual([
      [
        'train',
        [
          { name: 'a.jpg', member: 'obj_train_data/a.jpg' },
          { name: 'b/c.png', member: 'obj_train_data/b/c.png' },
        ],
      ],
      ['valid', [{ name: 'a.jpg', member: 'obj_valid_data/a.jpg' }]],
    ])
  })

  test('is imported into frames of those names', async () => {
    const { subsets } = await opened({
      ...darknet,
      'obj_train_data/b/c.png': 'x',
      'obj_valid_data/a.jpg': 'x',
    })
    const read = []
    for (const { images, importAnnotations } of subsets) {
      const target = targetOf([labelOf({ name: 'car' })], framesOf(images.map(({ name }) => name)))
      for await (const one of importAnnotations(target, createRun().run)) read.push(one)
    }
    const shape = { frame: 0, label_id: 1, points: [40, 20, 60, 60] }
    expect(read).toMatchObject([{ shape }, { shape }])
  })

  test.each([
    ['labels beside images', 'labels/train/1.txt', 'images/train/1.jpg', 'train', '1.jpg'],
    ['labels of a subset', 's/train/labels/1.txt', 's/train/images/1.jpg', 'train', '1.jpg'],
    ['labels without subsets', 'labels/1.txt', 'images/1.jpg', 'default', '1.jpg'],
    ['images by subset only', 'labels/train/a/1.txt', 'train/a/1.jpg', 'train', 'a/1.jpg'],
    ['Annotations', 'Annotations/a/1.txt', 'Images/a/1.jpg', 'default', 'a/1.jpg'],
    ['files beside one another', 'a/1.v2.txt', 'a/1.v2.jpg', 'default', 'a/1.v2.jpg'],
    ['no obj.data', 'obj_val_data/a/1.txt', 'obj_val_data/a/1.jpg', 'val', 'a/1.jpg'],
  ])('finds its image in this layout: %s', async (_, text, member, subset, name) => {
    const root = text.startsWith('s/') ? 's/' : ''
    const { subsets } = await opened({ [`${root}obj.names`]: 'car', [text]: box, [member]: 'x' })
    expect(subsets).toMatchObject([{ name: subset, images: [{ name, member }] }])
  })

  test('has images without boxes, and leaves out missing images without boxes', async () => {
    const { subsets } = await opened({
      'obj.names': 'car',
      'labels/train/1.txt': '\n',
      'labels/train/3.txt': box,
      'images/train/2.jpg': 'x',
      'images/train/3.jpg': 'x',
    })
    expect(subsets[0]?.images.map(({ name }) => name)).toEqual(['2.jpg', '3.jpg'])
  })

  test.each([
    ['any image', darknet, 'none of its images is in the archive: media is required'],
    [
      'an image that has boxes',
      { ...darknet, 'obj_train_data/a.jpg': 'x' },
      'train: 1 images that have annotations are not in the archive: b/c.png',
    ],
    [
      'an image that has boxes, among other texts',
      { 'obj.names': 'car', 'a.txt': box, 'b.jpg': 'x', 'notes.txt': 'by hand' },
      '1 images that have annotations are not in the archive: a',
    ],
    [
      'any list',
      { 'obj.data': 'train = data/train.txt', 'obj.names': 'car', 'train.txt': '' },
      'there are no images to make a task of',
    ],
  ])('is refused without %s', async (_, files, message) => {
    await expect(opened(files)).rejects.toThrow(message)
  })
})

test('an export with images is imported with the same subsets', async () => {
  const pixels = async function* () {
    yield Buffer.from('pixels')
  }
  const frames = framesOf(['a/1.jpg', 'a/2.png', 'ü.v2.jpg']).map(
    (frame): ItemFrame => ({ ...frame, image: pixels }),
  )
  const labels = [labelOf({ id: 3, name: 'car' }), labelOf({ id: 5, name: 'man' })]
  const sent = [shapeOf({ label_id: 3, frame: 1 }), shapeOf({ label_id: 5, frame: 2 })]
  const [one, two] = [sent, sent.slice(1)].map((shapes, index) =>
    datasetOf(labels, frames, { shapes }, { name: `set ${index}`, saveImages: true }),
  )
  if (!one || !two) throw new Error('two data sets')
  const both = { ...one, subsets: [...one.subsets, ...two.subsets] }
  const { bytes } = await exportBytes(yolo.exporter, both)

  const opened = await openYoloDataset(sourceOf(bytes), createRun().run)
  expect(opened.labels.map(({ name }) => name)).toEqual(['car', 'man'])
  expect(opened.subsets.map(({ name }) => name)).toEqual(['set 0', 'set 1'])
  for (const [index, { images, importAnnotations }] of opened.subsets.entries()) {
    expect(images.map(({ name }) => name)).toEqual(frames.map(({ path }) => path))
    const read = await collectAll(importAnnotations(targetOf(labels, frames), createRun().run))
    const expected = index === 0 ? sent : sent.slice(1)
    expect(read).toEqual(expected.map((shape) => ({ kind: 'shape', shape })))
  }
})
