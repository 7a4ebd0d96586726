import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { yolo } from '../formats/yolo.ts'
import { framesOf, importBytes, labelOf, newRun, targetOf, zipOf } from '../testing/run.ts'
import { openYoloDataset } from './dataset.ts'

/** Archives as other tools write them, and as people pack them. */

type Files = Record<string, string | Uint8Array>

const box = '0 0.5 0.5 0.2 0.5\n'
const other = '1 0.5 0.5 0.2 0.5\n'
const names = 'car\nbus\n'

/** `1: bus` for a box of that label on the second frame. */
async function imported(files: Files, paths: string[], labels = ['car', 'bus']) {
  const known = labels.map((name, id) => labelOf({ id, name }))
  const { shapes } = await importBytes(yolo, await zipOf(files), targetOf(known, framesOf(paths)))
  return shapes.map(({ frame, label_id }) => `${frame}: ${labels[label_id]}`)
}

/** Names of images and the boxes on them, by subset; into a project that has no labels yet. */
async function opened(files: Files) {
  const { labels, subsets } = await openYoloDataset(sourceOf(await zipOf(files)), newRun().run)
  const known = labels.map(({ name }, id) => labelOf({ id, name }))
  const found: Record<string, Record<string, number>> = {}
  for (const { name, images, importAnnotations } of subsets) {
    const counts = images.map((image) => [image.name, 0] as const)
    const boxes = Object.fromEntries(counts)
    const target = targetOf(known, framesOf(images.map((image) => image.name)))
    for await (const one of importAnnotations(target, newRun().run)) {
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
  test.each<[string, Files, Record<string, Record<string, number>>]>([
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
