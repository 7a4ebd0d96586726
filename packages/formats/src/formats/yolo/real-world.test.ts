import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
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
import { yolo } from '../yolo.ts'
import { openYoloDataset } from './dataset.ts'

/** Archives in the variants of other tools, and as users pack them. */

const box = '0 0.5 0.5 0.2 0.5\n'
const other = '1 0.5 0.5 0.2 0.5\n'
const names = 'car\nbus\n'

/** Returns imported boxes: `1: bus` is a box of that label on the second frame. */
async function imported(files: NamedFiles, paths: string[], labels = ['car', 'bus']) {
  const known = labels.map((name, id) => labelOf({ id, name }))
  const { shapes } = await importBytes(yolo, await zipOf(files), targetOf(known, framesOf(paths)))
  return shapes.map(({ frame, label_id }) => `${frame}: ${labels[label_id]}`)
}

/** Imports into a project without labels; returns the names of images and the number of their boxes, by subset. */
async function opened(files: NamedFiles) {
  const { labels, subsets } = await openYoloDataset(sourceOf(await zipOf(files)), createRun().run)
  const known = labels.map(({ name }, id) => labelOf({ id, name }))
  const found: Record<string, Record<string, number>> = {}
  for (const { name, images, importAnnotations } of subsets) {
    const counts = images.map((image) => [image.name, 0])
    const boxes: Record<string, number> = Object.fromEntries(counts)
    const target = targetOf(known, framesOf(images.map((image) => image.name)))
    for await (const one of importAnnotations(target, createRun().run)) {
      const path = one.kind === 'shape' ? images[one.shape.frame]?.name : undefined
      if (path !== undefined) boxes[path] = (boxes[path] ?? 0) + 1
    }
    found[name] = boxes
  }
  return { labels: labels.map(({ name }) => name), found }
}

const data = (folder: string): string =>
  `classes= 2\ntrain  = ${folder}train.txt\nvalid  = ${folder}val.txt\nnames = ${folder}x.names\nbackup = backup/\n`

describe('lists of Darknet', () => {
  test.each<[string, NamedFiles, Record<string, Record<string, number>>]>([
    [
      'with the paths of the machine they were made on, obj.data in a folder of its own',
      {
        'cfg/coco.data': data('/home/u/data/coco/'),
        'data/x.names': names,
        'coco/train.txt': '/home/u/data/coco/images/train2014/1.jpg\n',
        'coco/val.txt': '/home/u/data/coco/images/val2014/1.jpg\n',
        'coco/labels/train2014/1.txt': box,
        'coco/labels/val2014/1.txt': box + other,
        'coco/images/train2014/1.jpg': 'x',
        'coco/images/val2014/1.jpg': 'x',
      },
      { train: { 'train2014/1.jpg': 1 }, valid: { 'val2014/1.jpg': 2 } },
    ],
    [
      'of Windows',
      {
        'data/obj.data': data('C:\\set\\data\\').replaceAll('\n', '\r\n'),
        'data/x.names': names,
        'data/train.txt': 'C:\\set\\data\\obj\\1.JPG\r\n',
        'data/val.txt': 'C:\\set\\data\\obj\\2.JPG\r\n',
        'data/obj/1.txt': box,
        'data/obj/1.JPG': 'x',
        'data/obj/2.JPG': 'x',
      },
      { train: { '1.JPG': 1 }, valid: { '2.JPG': 0 } },
    ],
    [
      'with the folder that the archive has been made in',
      {
        'set/obj.data': data('set/'),
        'set/x.names': names,
        'set/train.txt': 'set/images/train/1.jpg\n',
        'set/val.txt': 'set/images/val/1.jpg\n',
        'set/labels/train/1.txt': box,
        'set/labels/val/1.txt': box + other,
        'set/images/train/1.jpg': 'x',
        'set/images/val/1.jpg': 'x',
      },
      { train: { 'images/train/1.jpg': 1 }, valid: { 'images/val/1.jpg': 2 } },
    ],
    [
      'over pictures of Pascal VOC',
      {
        'voc.data': data('/home/u/'),
        'x.names': names,
        'train.txt': '/home/u/VOCdevkit/VOC2007/JPEGImages/1.jpg\n',
        'val.txt': '/home/u/VOCdevkit/VOC2012/JPEGImages/1.jpg\n',
        'VOCdevkit/VOC2007/labels/1.txt': box,
        'VOCdevkit/VOC2012/labels/1.txt': box + other,
        'VOCdevkit/VOC2007/JPEGImages/1.jpg': 'x',
        'VOCdevkit/VOC2012/JPEGImages/1.jpg': 'x',
      },
      { train: { 'VOC2007/JPEGImages/1.jpg': 1 }, valid: { 'VOC2012/JPEGImages/1.jpg': 2 } },
    ],
  ])('%s', async (_, files, found) => {
    expect(await opened(files)).toEqual({ labels: ['car', 'bus'], found })
    const paths = Object.values(found).flatMap((boxes) => Object.keys(boxes))
    const frames = paths.map((path) => path.replace(/^images\//, ''))
    const counts = Object.values(found).flatMap((boxes) => Object.values(boxes))
    const expected = counts.flatMap((count, frame) =>
      ['car', 'bus'].slice(0, count).map((name) => `${frame}: ${name}`),
    )
    expect(await imported(files, frames)).toEqual(expected)
  })
})

describe('the file of class names may be named', () => {
  test.each<[string, NamedFiles]>([
    ['_darknet.labels', { 'train/_darknet.labels': names, 'valid/_darknet.labels': names }],
    ['classes.txt', { 'classes.txt': names, 'notes.json': '{}' }],
    ['Classes.TXT', { 'Classes.TXT': names }],
    ['OBJ.NAMES', { 'OBJ.NAMES': names }],
    ['predefined_classes.txt', { 'data/predefined_classes.txt': names }],
    ['class_list.txt', { 'class_list.txt': names }],
    ['labels.txt', { 'labels.txt': names }],
    [
      'coco8.yaml',
      { 'coco8.yaml': '# a set\npath: ../coco8 # root\nnames:\n  0: car\n  1: bus\n' },
    ],
    ['data.yml', { 'data.yml': "train: ../train/images\r\nnc: 2\r\nnames: ['car', 'bus']\r\n" }],
  ])('%s', async (_, files) => {
    const texts = { 'train/a.txt': other, 'valid/b.txt': box, 'README.roboflow.txt': 'v1 2024' }
    const images = { 'train/a.jpg': 'x', 'valid/b.jpg': 'x' }
    // The labels of the task are in another order, because numbers refer to the file.
    const found = await imported({ ...files, ...texts }, ['a.jpg', 'b.jpg'], ['bus', 'car'])
    expect(found).toEqual(['0: bus', '1: car'])
    expect(await opened({ ...files, ...texts, ...images })).toEqual({
      labels: ['car', 'bus'],
      found: { train: { 'a.jpg': 1 }, valid: { 'b.jpg': 1 } },
    })
  })
})

describe('folders of a YOLO archive', () => {
  test.each<[string, NamedFiles, Record<string, Record<string, number>>]>([
    [
      'of Roboflow',
      {
        'data.yaml': "train: ../train/images\nval: ../valid/images\nnames: ['car', 'bus']\n",
        'README.dataset.txt': '# 2 boxes',
        'train/labels/a_jpg.rf.12ab.txt': box,
        'train/images/a_jpg.rf.12ab.jpg': 'x',
        'valid/labels/b_jpg.rf.34cd.txt': box + other,
        'valid/images/b_jpg.rf.34cd.jpg': 'x',
      },
      { train: { 'a_jpg.rf.12ab.jpg': 1 }, valid: { 'b_jpg.rf.34cd.jpg': 2 } },
    ],
    [
      'of FiftyOne, a list of images without obj.data',
      {
        'set/obj.names': names,
        'set/images.txt': 'data/a.jpg\ndata/b.jpg\n',
        'set/data/a.txt': box,
        'set/data/a.jpg': 'x',
        'set/data/b.txt': other,
        'set/data/b.jpg': 'x',
      },
      { default: { 'data/a.jpg': 1, 'data/b.jpg': 1 } },
    ],
    [
      'of Supervisely',
      {
        'set/data_config.yaml': 'names: [car, bus]\ncolors: [[1, 2, 3], [4, 5, 6]]\nnc: 2\n',
        'set/labels/train/ds_a.txt': box,
        'set/images/train/ds_a.jpg': 'x',
        'set/labels/val/ds_b.txt': other,
        'set/images/val/ds_b.jpg': 'x',
      },
      { train: { 'ds_a.jpg': 1 }, val: { 'ds_b.jpg': 1 } },
    ],
    [
      'of Label Studio',
      {
        'classes.txt': names,
        'notes.json': '{}',
        'labels/3f-a.txt': box,
        'images/3f-a.jpg': 'x',
      },
      { default: { '3f-a.jpg': 1 } },
    ],
    [
      'of Ultralytics with what its training leaves',
      {
        'coco8/coco8.yaml': 'names:\n  0: car\n  1: bus\n',
        'coco8/README.md': '#',
        'coco8/labels/train.cache': '0 1 2 3',
        'coco8/labels/train/a.txt': box,
        'coco8/labels/val/a.txt': box + box,
        'coco8/images/train/a.jpg': 'x',
        'coco8/images/val/a.jpg': 'x',
      },
      { train: { 'a.jpg': 1 }, val: { 'a.jpg': 2 } },
    ],
    [
      'in capitals',
      { 'classes.txt': names, 'Labels/a.txt': box, 'Images/a.JPG': 'x', 'Images/b.JPG': 'x' },
      { default: { 'a.JPG': 1, 'b.JPG': 0 } },
    ],
    [
      'of macOS and Windows',
      {
        'set\\classes.txt': names.replaceAll('\n', '\r\n'),
        'set\\labels\\a.txt': `\uFEFF${box.trimEnd()}\r\n`,
        'set\\images\\a.jpg': 'x',
        'set/labels/._a.txt': Buffer.from([0, 5, 0xff]),
        '__MACOSX/set/labels/._a.txt': Buffer.from([0, 5, 0xff]),
        'set/.DS_Store': 'x',
      },
      { default: { 'a.jpg': 1 } },
    ],
  ])('%s', async (_, files, found) => {
    expect(await opened(files)).toEqual({ labels: ['car', 'bus'], found })
  })

  test('of labelImg: texts are next to images and use any label of the list', async () => {
    const files = { 'pics/classes.txt': 'dog\ncar\n', 'pics/a.txt': other, 'pics/a.jpg': 'x' }
    expect(await imported(files, ['a.jpg'])).toEqual(['0: car'])
  })

  test('of NumPy, which writes numbers as floats', async () => {
    const files = { 'classes.txt': names, 'a.txt': '1.000e+00 5.0e-01 5.0e-01 2.0e-01 5.0e-01\n' }
    expect(await imported(files, ['a.jpg'])).toEqual(['0: bus'])
  })

  test('of makesense, which writes only texts: numbers are labels of the task', async () => {
    const files = { 'labels_p_2024-01-01/a.txt': box + other, 'labels_p_2024-01-01/b.txt': '' }
    expect(await imported(files, ['a.jpg', 'b.jpg'])).toEqual(['0: car', '0: bus'])
  })
})

describe('a YOLO import refuses', () => {
  const ofUltralytics = 'path: .\ntrain: images/train\nnames:\n  0: car\n'

  test.each<[string, NamedFiles, string]>([
    [
      'a set of Ultralytics without a label file',
      { 'data.yaml': ofUltralytics, 'images/train/a.jpg': 'x' },
      'no YOLO annotations: expected obj.data, obj.names and a .txt file for each image',
    ],
    [
      'one of keypoints',
      {
        'data.yaml': `${ofUltralytics}kpt_shape: [2, 3]\n`,
        'labels/train/a.txt': '0 0.5 0.5 0.1 0.1 0.5 0.5 2 0.4 0.4 1\n',
      },
      'labels/train/a.txt: 11 fields, expected "id cx cy w h" with blanks between, and a confidence at most; this looks like segmentation, keypoints or turned boxes',
    ],
    [
      'one of tracks',
      { 'data.yaml': ofUltralytics, 'labels/train/a.txt': '0 0.5 0.5 0.1 0.1 7\n' },
      'labels/train/a.txt: the confidence is 7, expected 0 to 1; this looks like the number of a track',
    ],
    [
      'one text of all images, as of Keras',
      { 'train/_annotations.txt': 'a.jpg 1,2,3,4,0\n', 'train/_classes.txt': names },
      'train/_annotations.txt: 2 fields, expected "id cx cy w h"',
    ],
    [
      'a set whose folders have classes of their own',
      { 'p/_darknet.labels': names, 'p/a.txt': box, 'q/_darknet.labels': 'bus\ncar\n' },
      'q/_darknet.labels: its class names are not those of p/_darknet.labels',
    ],
  ])('%s', async (_, files, message) => {
    await expect(imported(files, ['a.jpg'])).rejects.toThrow(message)
  })

  test.each<[string, string, string]>([
    ['a box in pixels', '0 320 240 100 80', 'a.txt: the box looks like one in pixels, expected'],
    ['commas', '0,0.5,0.5,0.2,0.5', 'a.txt: 1 fields, expected "id cx cy w h" with blanks'],
    ['decimal commas', '0 0,5 0,5 0,2 0,5', 'a.txt: "0,5" is no number'],
    ['an endless number', '0 1e309 0.5 1 1', 'a.txt: "1e309" is no number'],
    ['a polygon', '0 0.1 0.1 0.9 0.1 0.9 0.9', 'this looks like segmentation'],
    ['a label counted from 1', '2 0.5 0.5 0.1 0.1', 'obj.names has 2 labels, id 2 used'],
  ])('%s', async (_, line, message) => {
    const attempt = imported({ 'obj.names': names, 'a.txt': `${line}\n` }, ['a.jpg'])
    await expect(attempt).rejects.toThrow(message)
    await expect(attempt).rejects.toThrow(/ at line 1$/)
  })

  test('a dataset without class names into a project without labels', async () => {
    await expect(opened({ 'labels/a.txt': box, 'images/a.jpg': 'x' })).rejects.toThrow(
      'labels/a.txt: there is no obj.names or classes.txt, and the task has 0 labels, id 0 used',
    )
  })

  test('names in a Windows code page', async () => {
    const files = { 'classes.txt': Buffer.from('Stra\xdfe\n', 'latin1'), 'a.txt': box }
    await expect(imported(files, ['a.jpg'])).rejects.toThrow(
      'classes.txt: the text is not UTF-8 at line 1',
    )
  })
})

test.each<[string, NamedFiles]>([
  [
    'lists',
    {
      'obj.data': data('data/'),
      'x.names': names,
      'train.txt': 'data/obj_train_data/a.jpg\n',
      'val.txt': '/home/u/set/b.jpg\n',
      'obj_train_data/a.txt': box + other,
      'obj_train_data/a.jpg': 'x',
      'set/b.txt': '0 0.5 0.5 0.2 0.5 0.9\n',
      'set/b.jpg': 'x',
    },
  ],
  [
    'a data.yaml',
    {
      'data.yaml': "train: ../train/images\nnames:\n  0: 'car'\n  1: bus # a\nnc: 2\n",
      'train/labels/a.txt': box,
      'train/images/a.jpg': 'x',
      'val/labels/b.txt': other,
      'val/images/b.jpg': 'x',
    },
  ],
])(
  'an archive with %s and random damage is imported or refused with a FormatError',
  async (_, files) => {
    const known = ['car', 'bus'].map((name, id) => labelOf({ id, name }))
    await expectReadOrRefused(yolo, files, targetOf(known, framesOf(['a.jpg', 'b.jpg'])))
  },
)
