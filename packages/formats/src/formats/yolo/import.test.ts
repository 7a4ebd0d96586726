import { describe, expect, test } from 'vitest'
import type { ImportTarget } from '../../model/dataset.ts'
import { framesOf, importBytes, labelOf, targetOf, zipOf } from '../../testing/run.ts'
import { yolo } from '../yolo.ts'

const labels = [labelOf({ id: 8, name: 'bus' }), labelOf({ id: 7, name: 'car' })]
const target = targetOf(labels, framesOf(['a.jpg', 'b/c.png', '000012.jpg']))

const darknet = {
  'obj.data': 'classes = 2\ntrain = data/train.txt\nnames = data/obj.names\nbackup = backup/\n',
  'obj.names': 'car\nbus\n',
  'train.txt': 'data/obj_train_data/a.jpg\ndata/obj_train_data/b/c.png\n',
}
const box = '0 0.5 0.5 0.2 0.5\n'
const points = [40, 20, 60, 60]

async function imported(files: Record<string, string>, to: ImportTarget = target) {
  const result = await importBytes(yolo, await zipOf(files), to)
  const found = result.shapes.map(({ frame, label_id }) => [frame, label_id])
  const notes = result.report.entries.map(({ code, reason }) => `${code}: ${reason}`)
  return { ...result, found, notes }
}

/** Imports one text of boxes for the first frame. */
const text = (lines: string) => imported({ ...darknet, 'obj_train_data/a.txt': lines })

describe('a YOLO import', () => {
  test('reads boxes relative to the frame', async () => {
    const { shapes, report, progress } = await text(`${box}1 0.1 0.1 0.1 0.3 0.25\n`)
    expect(shapes).toMatchObject([
      { type: 'rectangle', frame: 0, label_id: 7, points, score: 1, source: 'file' },
      { frame: 0, label_id: 8, points: [5, -4, 15, 20], score: 0.25 },
    ])
    expect(report).toMatchObject({ created: { shapes: 2 }, entries: [] })
    expect(progress).toEqual([0.5, 1])
  })

  test('treats an image without a text as an image without boxes', async () => {
    const { found } = await imported({ ...darknet, 'obj_train_data/b/c.txt': box })
    expect(found).toEqual([[1, 7]])
  })

  test('reads texts with any line ends, blanks and a byte order mark', async () => {
    const files = {
      'obj.data': '\uFEFF# a set\r\n\r\nnames=./data/obj.names \r\ntrain =  data\\train.txt\r\n',
      'obj.names': '\uFEFFcar\r\n\r\n  bus  \r\n',
      'train.txt': '\uFEFFdata\\obj_train_data\\a.jpg  \r\n\r\n',
      'obj_train_data/a.txt': '\uFEFF 1\t0.5  0.5 0.2 0.5 \r\n\r\n',
    }
    const { found, shapes } = await imported(files)
    expect(found).toEqual([[0, 8]])
    expect(shapes[0]?.points).toEqual(points)
  })

  test('skips boxes without area and keeps boxes that exceed the frame', async () => {
    const { shapes, notes } = await text('0 0.5 0.5 0 0.5\n0 0.5 0.5 0.1 -0.5\n0 1.5 0.5 2 0.5\n')
    expect(shapes.map((shape) => shape.points)).toEqual([[50, 20, 250, 60]])
    expect(notes).toEqual(['degenerate-shape: the box has no area'])
  })

  test('skips boxes outside the job', async () => {
    const job = { ...target, frames: { ...target.frames, includes: (frame: number) => frame > 0 } }
    const files = { 'obj_train_data/a.txt': box, 'obj_train_data/b/c.txt': box }
    const { found, notes } = await imported({ ...darknet, ...files }, job)
    expect(found).toEqual([[1, 7]])
    expect(notes).toEqual(['frame-outside-job: the frame lies outside of the job'])
  })

  test('finds frames of videos by their number', async () => {
    const list = 'data/obj_train_data/000002.jpg\n'
    const files = { ...darknet, 'train.txt': list, 'obj_train_data/000002.txt': box }
    const folders = { 'obj.names': 'car\n', 'labels/train/2.txt': box }
    const numbered = { ...target.frames, is_video: true }
    for (const one of [files, folders]) {
      expect((await imported(one, { labels, frames: numbered })).found).toEqual([[2, 7]])
      await expect(imported(one)).rejects.toThrow('1 annotated item has no matching frame')
    }
    const named = { 'train.txt': 'data/obj_train_data/frame_000014.PNG\n' }
    const video = { start_frame: 10, step: 2, is_video: true, includes: () => true }
    const boxes = { 'obj_train_data/frame_000014.txt': box }
    const to = { labels, frames: { ...target.frames, ...video } }
    expect((await imported({ ...darknet, ...named, ...boxes }, to)).found).toEqual([[2, 7]])
  })
})

describe('texts of a YOLO import are found', () => {
  test.each([
    ['in a folder around all of it', 'set/x/', {}],
    ['in a folder called data', '', { 'data/obj_train_data/a.txt': box }],
    ['in a folder labels', '', { 'labels/a.txt': box }],
    ['anywhere, where one only is called so', '', { 'elsewhere/y/a.txt': box }],
  ])('%s', async (_, folder, texts) => {
    const given = folder === '' ? { ...darknet, ...texts } : {}
    const wrapped = { ...darknet, 'obj_train_data/a.txt': box }
    const files = folder
      ? Object.fromEntries(Object.entries(wrapped).map(([name, one]) => [folder + name, one]))
      : given
    const { found, notes } = await imported(files)
    expect([found, notes]).toEqual([[[0, 7]], []])
  })

  test('in a folder "labels" for images of a folder "images"', async () => {
    const files = { 'train.txt': './images/train/a.jpg\n', 'labels/train/a.txt': box }
    expect((await imported({ ...darknet, ...files })).found).toEqual([[0, 7]])
  })

  test('only if no other text has the same name', async () => {
    const files = { 'train.txt': 'data/x/a.jpg\n', 'p/a.txt': box, 'q/a.txt': box }
    const { found, notes } = await imported({ ...darknet, ...files })
    const reason = 'ignored-file: the file is in no list, its boxes are read all the same'
    expect([found, notes]).toEqual([
      [[0, 7]],
      [
        reason,
        'duplicate-entry: several items of the upload are on one frame, the objects of all are read',
        'duplicate: an equal object is in another file of the upload',
      ],
    ])
  })

  test('without a list, and are reported', async () => {
    const texts = { 'obj_train_data/a.txt': box, 'obj_train_data/000012.txt': box }
    const readme = { 'README.txt': 'made by hand', 'test.txt': 'data/obj_test_data/z.jpg' }
    const { found, notes } = await imported({ ...darknet, ...texts, ...readme })
    expect(found).toEqual([
      [0, 7],
      [2, 7],
    ])
    expect(notes).toEqual([
      'ignored-file: the file is in no list, its boxes are read all the same',
      'ignored-file: it has no boxes',
    ])
  })

  test('without the list that obj.data names', async () => {
    const { 'train.txt': _, ...rest } = darknet
    const { found, notes } = await imported({ ...rest, 'obj_train_data/a.txt': box })
    expect(found).toEqual([[0, 7]])
    expect(notes).toContain("ignored-file: the list of 'train' is not in the archive")
  })

  test('only once for an image that is listed twice', async () => {
    const data = `${darknet['obj.data']}valid = data/train.txt\n`
    const files = { ...darknet, 'obj.data': data, 'obj_train_data/a.txt': box }
    const { found, notes } = await imported(files)
    expect(found).toEqual([[0, 7]])
    expect(notes).toEqual(['duplicate-entry: the image is listed twice, it is read once'])
  })

  test('with class names in a file of any name', async () => {
    const data = 'train = train.txt\nnames = data/my names.txt\n'
    const { 'obj.names': names, ...rest } = darknet
    const files = { ...rest, 'obj.data': data, 'my names.txt': names, 'obj_train_data/a.txt': box }
    const { found, notes } = await imported(files)
    expect([found, notes]).toEqual([[[0, 7]], []])
  })

  test('with class names, regardless of the declared number of classes', async () => {
    const data = darknet['obj.data'].replace('= 2', '= 80')
    const files = { ...darknet, 'obj.data': data, 'obj_train_data/a.txt': box }
    expect(await imported(files)).toMatchObject({ found: [[0, 7]], notes: [] })
  })

  test('for a subset with special characters in its name', async () => {
    const files = {
      'obj.data': 'a=b c = data/a=b c.txt\nnames = data/obj.names\n',
      'obj.names': 'car\n',
      'a=b c.txt': 'data/obj_a=b c_data/a.jpg\n',
      'obj_a=b c_data/a.txt': box,
    }
    expect((await imported(files)).found).toEqual([[0, 7]])
  })
})

describe('a YOLO import without obj.data accepts', () => {
  const names = { 'obj.names': 'car\nbus\n' }
  const yaml = (text: string) => ({ 'data.yaml': `train: images/train\nnc: 2\n${text}\nval: x\n` })

  test.each([
    ['labels by subset', { ...names, 'labels/train/a.txt': box, 'labels/val/b/c.txt': box }],
    ['labels in a folder, no names', { 's/labels/a.txt': box, 's/labels/b/c.txt': box }],
    ['names elsewhere', { 'x/obj.names': 'car\nbus\n', 'y/a.txt': box, 'y/b/c.txt': box }],
    ['labels without subsets', { ...names, 'labels/a.txt': box, 'labels/b/c.txt': box }],
    ['subsets with labels', { ...names, 'train/labels/a.txt': box, 'val/labels/b/c.txt': box }],
    ['subsets with labels, no names', { 'p/labels/a.txt': box, 'q/labels/b/c.txt': box }],
    ['classes.txt', { 'classes.txt': 'car\nbus', 'labels/a.txt': box, 'labels/b/c.txt': box }],
    [
      'classes.txt among the labels',
      { 'x/labels/classes.txt': 'car\nbus', 'x/labels/a.txt': box, 'x/labels/b/c.txt': box },
    ],
    ['Annotations', { ...names, 'Annotations/a.txt': box, 'Annotations/b/c.txt': box }],
    ['texts only', { ...names, 'a.txt': box, 'b/c.txt': box, 'README.md': '#' }],
    [
      'folders of obj.data',
      {
        ...names,
        'obj_train_data/a.txt': box,
        'obj_train_data/b/c.txt': box,
        'train.txt': 'x.jpg',
      },
    ],
    ['a folder around it', { 's/obj.names': 'car\nbus\n', 's/a.txt': box, 's/b/c.txt': box }],
    [
      'data.yaml, names in a block',
      {
        ...yaml('names:\n  0: car # one\n  1: "bus"'),
        'labels/train/a.txt': box,
        'labels/train/b/c.txt': box,
      },
    ],
    [
      'data.yaml, names in a list',
      { ...yaml("names:\n- 'car'\n- bus"), 'train/labels/a.txt': box, 'train/labels/b/c.txt': box },
    ],
    [
      'data.yaml, names in brackets',
      { ...yaml("names: ['car',\n  bus]"), 'labels/train/a.txt': box, 'labels/train/b/c.txt': box },
    ],
    [
      'data.yaml, names in braces',
      {
        ...yaml('names: {0: car, 1: bus}'),
        'labels/train/a.txt': box,
        'labels/train/b/c.txt': box,
      },
    ],
  ])('%s', async (_, files) => {
    const { found } = await imported({ ...files, 'LICENSE.txt': 'for 2 people' })
    expect(found.sort()).toEqual([
      [0, 7],
      [1, 7],
    ])
  })

  test('class numbers refer to the labels of the task when no file names classes', async () => {
    const { found, notes } = await imported({ 'a.txt': box, 'b/c.txt': '1 0.5 0.5 0.1 0.1' })
    expect(found).toEqual([
      [0, 7],
      [1, 8],
    ])
    expect(notes[0]).toContain('classes are the labels of the task in their order')
  })

  test('subsets are distinguished by the folders of frames', async () => {
    const to = targetOf(labels, framesOf(['train/1.jpg', 'val/1.jpg']))
    const files = { ...names, 'labels/train/1.txt': box, 'labels/val/1.txt': `1${box.slice(1)}` }
    expect((await imported(files, to)).found).toEqual([
      [0, 7],
      [1, 8],
    ])
  })

  test('other files are reported', async () => {
    const models = { 'model.cfg': '[net]', '_annotations.createml.json': '[]' }
    const files = { ...names, 'a.txt': box, 'notes.txt': 'made by hand', ...models }
    const { found, notes } = await imported(files)
    expect([found, notes]).toEqual([[[0, 7]], ['ignored-file: it has no boxes']])
  })
})

describe('a YOLO import is refused', () => {
  const file = 'obj_train_data/a.txt'

  test.each([
    [
      '0 0.5 0.5 0.2',
      `${file}: 4 fields, expected "id cx cy w h" with blanks between, and a confidence at most at line 2`,
    ],
    [
      '0 0 0 1 0 1 1 0 1',
      `${file}: 9 fields, expected "id cx cy w h" with blanks between, and a confidence at most; this looks like segmentation`,
    ],
    ['car 0.5 0.5 0.2 0.5', `${file}: label id: "car" is no whole number at line 2`],
    ['0.5 0.5 0.5 0.2 0.5', `${file}: label id: "0.5" is no whole number at line 2`],
    ['2 0.5 0.5 0.2 0.5', `${file}: obj.names has 2 labels, id 2 used at line 2`],
    ['-1 0.5 0.5 0.2 0.5', `${file}: obj.names has 2 labels, id -1 used at line 2`],
    ['0 NaN 0.5 0.2 0.5', `${file}: "NaN" is no number within`],
    ['0 0.5 Infinity 0.2 0.5', `${file}: "Infinity" is no number within`],
    ['0 0.5 0.5 0.2 x', `${file}: "x" is no number within`],
    ['0 0.5 0.5 0.2 0.5 1.5', `${file}: the confidence is 1.5, expected 0 to 1 at line 2`],
    [
      '0 0.5 0.5 0.2 0.5 7',
      `${file}: the confidence is 7, expected 0 to 1; this looks like the number of a track at line 2`,
    ],
  ])('for the line "%s"', async (line, message) => {
    await expect(text(`${box}${line}\n`)).rejects.toThrow(message)
  })

  test('for a label that the task does not have', async () => {
    const files = { ...darknet, 'obj.names': 'van\n', [file]: box }
    await expect(imported(files)).rejects.toThrow("Label 'van' is not registered for this task")
  })

  test('for boxes of an image without a frame', async () => {
    const files = {
      ...darknet,
      'train.txt': 'data/obj_train_data/z.jpg',
      'obj_train_data/z.txt': box,
    }
    await expect(imported(files)).rejects.toThrow(
      '1 annotated item has no matching frame in this task: z.jpg',
    )
  })

  test('for an invalid obj.data', async () => {
    await expect(imported({ ...darknet, 'obj.data': 'classes = 2\nwhat?' })).rejects.toThrow(
      'obj.data: expected key = value at line 2',
    )
    await expect(imported({ 'obj.data': 'train = data/train.txt' })).rejects.toThrow(
      'obj.data: obj.names is missing',
    )
    await expect(imported({ 'obj.data': '', 'obj.names': 'car' })).rejects.toThrow(
      'obj.data: it names no list of images',
    )
  })

  test('for text that is not UTF-8', async () => {
    const bytes = Buffer.from([0x30, 0x20, 0xff, 0x0a])
    const zip = await zipOf({ ...darknet, [file]: bytes })
    await expect(importBytes(yolo, zip, target)).rejects.toThrow(`${file}: the text is not UTF-8`)
  })

  test('for other archives, and for a file that is no archive', async () => {
    await expect(imported({ 'a.jpg': 'x' })).rejects.toThrow(
      'no YOLO annotations: expected obj.data, obj.names and a .txt file for each image',
    )
    await expect(importBytes(yolo, '{}', target)).rejects.toThrow('expected a ZIP archive')
    const cut = (await zipOf({ ...darknet, [file]: box })).subarray(0, 200)
    await expect(importBytes(yolo, cut, target)).rejects.toThrow('archive is damaged')
  })

  test('for a data.yaml without names', async () => {
    const files = { 'data.yaml': 'train: x\n', 'labels/a.txt': box }
    await expect(imported(files)).rejects.toThrow('data.yaml: names is missing')
    const empty = { ...files, 'data.yaml': 'nc: 1\nnames:\n  0:\n' }
    await expect(imported(empty)).rejects.toThrow('data.yaml: names: entry 0 is no name at line 2')
  })
})
