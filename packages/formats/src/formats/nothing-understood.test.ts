import { describe, expect, test } from 'vitest'
import { formats } from '../registry.ts'
import { framesOf, importBytes, labelOf, targetOf, zipOf } from '../testing/run.ts'

/** An import without any recognized content fails; recognized files without objects are a success. */

const target = targetOf([labelOf({ id: 5, name: 'car' })], framesOf(['a.png', 'b.png']))
const box = '0 0.5 0.5 0.2 0.2\n'
const lists = {
  'obj.data': 'classes = 1\ntrain = data/train.txt\nnames = data/obj.names\n',
  'obj.names': 'car\n',
  'train.txt': 'data/obj_train_data/a.jpg\ndata/obj_train_data/b.jpg\n',
}
const dota = 'imagesource:GoogleEarth\ngsd:0.15\n1 1 9 1 9 9 1 9 car 0\n'
const document = '<annotation><filename>a.png</filename></annotation>'

async function imported(name: string, files: Record<string, string>) {
  const format = formats.find((one) => one.name === name)
  if (!format) throw new Error(`there is no format ${name}`)
  return importBytes(format, await zipOf(files), target)
}

describe('an import fails', () => {
  test.each<[string, string, Record<string, string>, string]>([
    ['DOTA texts', 'YOLO 1.1', { 'labelTxt/a.txt': dota }, 'labelTxt/a.txt'],
    [
      'DOTA texts beside class names',
      'YOLO 1.1',
      { 'x/labelTxt/a.txt': dota, 'x/labelTxt/b.txt': dota, 'x/classes.txt': 'car\n' },
      'x/labelTxt/a.txt',
    ],
    ['prose', 'YOLO 1.1', { 'notes.txt': 'made by hand', 'obj.names': 'car' }, 'notes.txt'],
    ['a list without texts', 'YOLO 1.1', lists, '2 pictures are listed without a text of boxes'],
    [
      'a list without texts, with pictures',
      'YOLO 1.1',
      { ...lists, 'obj_train_data/a.jpg': 'x', 'obj_train_data/b.jpg': 'x' },
      'expected a.txt',
    ],
    [
      'empty texts of other pictures',
      'YOLO 1.1',
      { 'labels/x.txt': '', 'labels/y.txt': '', 'classes.txt': 'car\n' },
      'no text has boxes or belongs to a picture of this task',
    ],
    [
      'a list without documents',
      'Pascal VOC 1.1',
      { 'ImageSets/Main/train.txt': 'a\nb\n', 'JPEGImages/a.png': 'x' },
      'no listed picture has a document, masks or tags',
    ],
    ['pictures alone', 'Pascal VOC 1.1', { 'JPEGImages/a.png': 'x' }, 'no Pascal VOC annotations'],
    [
      'a list of other pictures without masks',
      'Segmentation mask 1.1',
      { 'ImageSets/Segmentation/train.txt': 'x\ny\n' },
      'no segmentation masks',
    ],
    ['empty texts of other pictures', 'KITTI 1.0', { 'label_2/x.txt': '' }, 'label_2/x.txt'],
    [
      'documents of LabelMe',
      'Pascal VOC 1.1',
      { 'a.xml': '<annotation><filename>a.png</filename><imagesize/></annotation>' },
      'import it as LabelMe 3.0',
    ],
    [
      'documents of Pascal VOC',
      'LabelMe 3.0',
      { 'a.xml': '<annotation><filename>a.png</filename><size/></annotation>' },
      'import it as Pascal VOC 1.1',
    ],
  ])('with %s as %s', async (_, name, files, message) => {
    await expect(imported(name, files)).rejects.toThrow(message)
  })
})

describe('an import succeeds', () => {
  test.each<[string, string, Record<string, string>]>([
    ['empty texts of a list', 'YOLO 1.1', { ...lists, 'obj_train_data/a.txt': '' }],
    ['empty texts of a folder', 'YOLO 1.1', { 'labels/val/b.txt': '', 'classes.txt': 'car\n' }],
    ['an empty text', 'KITTI 1.0', { 'training/label_2/a.txt': '' }],
    ['a document without objects', 'Pascal VOC 1.1', { 'Annotations/a.xml': document }],
    ['a document without objects', 'LabelMe 3.0', { 'default/a.xml': document }],
    ['a list of pictures', 'Segmentation mask 1.1', { 'ImageSets/Segmentation/val.txt': 'a\n' }],
    ['no images', 'Service 1.1', { 'annotations.xml': '<annotations></annotations>' }],
    [
      'no annotations',
      'COCO 1.0',
      { 'annotations/instances_val.json': '{"images":[],"categories":[],"annotations":[]}' },
    ],
  ])('with %s as %s', async (_, name, files) => {
    expect((await imported(name, files)).imported).toEqual([])
  })
})

test('one recognized text file is enough, and others are reported', async () => {
  const files = { 'a.txt': box, 'notes.txt': 'made by hand', 'obj.names': 'car\n' }
  const { shapes, report } = await imported('YOLO 1.1', files)
  expect(shapes).toHaveLength(1)
  expect(report.entries).toMatchObject([{ examples: [{ file: 'notes.txt' }] }])
})

test.each<[string, Record<string, string>, string]>([
  [
    'Segmentation mask 1.1',
    { 'ImageSets/Segmentation/val.txt': 'a\nb\n' },
    'no listed picture has masks in the archive',
  ],
  [
    'KITTI 1.0',
    { 'label_colors.txt': '1 2 3 car\n', 'image_2/a.png': 'x' },
    'no picture has a file of boxes or masks in the archive',
  ],
])('%s reports listed images when none of them has annotations', async (name, files, reason) => {
  expect((await imported(name, files)).report.entries).toMatchObject([{ reason }])
})
