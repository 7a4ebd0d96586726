import { describe, expect, test } from 'vitest'
import { writeRgbPng } from '../image/png.ts'
import { formats } from '../registry.ts'
import { framesOf, importBytes, labelOf, type NamedFiles, targetOf, zipOf } from '../testing/run.ts'
import { recordOf } from '../testing/tfrecord.ts'
import { documentText, objectText } from '../testing/voc.ts'

/** Every format reports items that share a frame; an object that occurs in two files is stored once. */

const target = targetOf([labelOf({ id: 5, name: 'car' })], framesOf(['a.png', 'x/b.png'], 20, 10))

async function imported(name: string, files: NamedFiles) {
  const format = formats.find((one) => one.name === name)
  if (!format) throw new Error(`there is no format ${name}`)
  const found = await importBytes(format, await zipOf(files), target)
  const entryOf = (code: string) => found.report.entries.find((entry) => entry.code === code)
  return { ...found, shared: entryOf('duplicate-entry'), repeated: entryOf('duplicate') }
}

// ---- files with one box that ends at (x, 9)

type FileText = (x: number) => string | Uint8Array

const yolo: FileText = (x) => `0 ${(x - 4) / 20} 0.5 ${8 / 20} 0.8\n`
const document: FileText = (x) => documentText(objectText({ name: 'car', box: [x - 8, 1, x, 9] }))
const voc =
  (filename: string): FileText =>
  (x) =>
    documentText(
      `<filename>${filename}</filename>`,
      objectText({ name: 'car', box: [x - 8, 1, x, 9] }),
    )
const labelMe: FileText = (x) => {
  const corners = [x - 8, x, x].map((at, index) => `<pt><x>${at}</x><y>${index * 4}</y></pt>`)
  return `<annotation><filename>a.png</filename><object><name>car</name>
<polygon>${corners.join('')}</polygon></object></annotation>`
}
const kitti: FileText = (x) => `car 0 0 -1 ${x - 8} 1 ${x} 9 -1 -1 -1 -1 -1 -1 -1\n`
const coco =
  (file_name: string): FileText =>
  (x) =>
    JSON.stringify({
      images: [{ id: 1, file_name }],
      categories: [{ id: 1, name: 'car' }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [x - 8, 1, 8, 8] }],
    })
const xml =
  (name: string): FileText =>
  (x) =>
    `<annotations><image name="${name}"><box label="car" xtl="${x - 8}" ytl="1" xbr="${x}" ybr="9"/></image></annotations>`
const record =
  (name: string): FileText =>
  (x) =>
    recordOf({
      'image/filename': name,
      'image/object/class/text': ['car'],
      'image/object/bbox/xmin': [(x - 8) / 20],
      'image/object/bbox/xmax': [x / 20],
      'image/object/bbox/ymin': [0.1],
      'image/object/bbox/ymax': [0.9],
    })
const mask: FileText = (x) =>
  writeRgbPng(
    20,
    10,
    Array.from({ length: 200 }, (_, at) => (at < x ? 0xff0000 : 0)),
  )
const map = { 'labelmap.txt': 'background:0,0,0::\ncar:255,0,0::\n' }

const cases: [string, string, string, FileText, string, FileText, NamedFiles][] = [
  ['of two splits', 'YOLO 1.1', 'labels/train/a.txt', yolo, 'labels/val/a.txt', yolo, {}],
  ['in other letters', 'YOLO 1.1', 'labels/a.txt', yolo, 'labels/q/A.txt', yolo, {}],
  [
    'of two folders',
    'Pascal VOC 1.1',
    'Annotations/p/a.xml',
    document,
    'Annotations/q/a.xml',
    document,
    {},
  ],
  [
    'of one filename',
    'Pascal VOC 1.1',
    'Annotations/1.xml',
    voc('a.png'),
    'Annotations/2.xml',
    voc('A.PNG'),
    {},
  ],
  [
    'of two years',
    'Pascal VOC 1.1',
    'VOC1/Annotations/a.xml',
    document,
    'VOC2/Annotations/a.xml',
    document,
    {},
  ],
  ['of two users', 'LabelMe 3.0', 'one/a.xml', labelMe, 'two/a.xml', labelMe, {}],
  ['of two subsets', 'KITTI 1.0', 'train/label_2/a.txt', kitti, 'val/label_2/a.txt', kitti, {}],
  [
    'of one name',
    'COCO 1.0',
    'annotations/instances_all.json',
    coco('a.png'),
    'annotations/instances_train.json',
    coco('a.png'),
    {},
  ],
  [
    'of two folders',
    'COCO 1.0',
    'annotations/instances_1.json',
    coco('p/a.png'),
    'annotations/instances_2.json',
    coco('q/a.jpg'),
    {},
  ],
  ['of two documents', 'Service 1.1', '1.xml', xml('a.png'), '2.xml', xml('old/a.png'), {}],
  [
    'of two files',
    'TFRecord 1.0',
    'all.tfrecord',
    record('a.png'),
    'train.tfrecord',
    record('p/a.png'),
    {},
  ],
  [
    'of two folders',
    'Segmentation mask 1.1',
    'SegmentationClass/p/a.png',
    mask,
    'SegmentationClass/q/a.png',
    mask,
    map,
  ],
]

describe('two items on one frame', () => {
  test.each(cases)('%s are reported: %s', async (_, name, one, textOf, other, otherOf, more) => {
    const files = { [one]: textOf(10), [other]: otherOf(18), ...more }
    const { shapes, shared, repeated } = await imported(name, files)
    expect(shapes.map(({ frame }) => frame)).toEqual([0, 0])
    expect(shared).toMatchObject({ count: 2, examples: [{ file: one }, { file: other }] })
    expect(repeated).toBeUndefined()
  })

  test.each(cases)(
    '%s store equal objects once: %s',
    async (_, name, one, textOf, other, otherOf, more) => {
      const files = { [one]: textOf(10), [other]: otherOf(10), ...more }
      const { shapes, repeated, report } = await imported(name, files)
      expect(shapes).toHaveLength(1)
      expect(repeated).toMatchObject({ kind: 'skipped', count: 1, examples: [{ file: other }] })
      expect(report.created.shapes).toBe(1)
    },
  )
})

test('items on different frames are not reported', async () => {
  const files = { 'labels/a.txt': yolo(10), 'labels/b.txt': yolo(10), 'classes.txt': 'car\n' }
  const { shapes, report } = await imported('YOLO 1.1', files)
  expect(shapes).toHaveLength(2)
  expect(report.entries).toEqual([])
})

test('an item without objects next to one with objects is not reported', async () => {
  const files = { 'labels/p/a.txt': yolo(10), 'labels/q/a.txt': '', 'classes.txt': 'car\n' }
  const { shapes, report } = await imported('YOLO 1.1', files)
  expect(shapes).toHaveLength(1)
  expect(report.entries).toEqual([])
})

test('equal objects in one file are all stored', async () => {
  const files = { 'labels/a.txt': `${yolo(10)}${yolo(10)}`, 'classes.txt': 'car\n' }
  const { shapes, report } = await imported('YOLO 1.1', files)
  expect([shapes.length, report.entries]).toEqual([2, []])
})

test('two images with the same name in one file are reported', async () => {
  const image = '<image name="a.png"><box label="car" xtl="1" ytl="1" xbr="9" ybr="9"/></image>'
  const { shapes, shared } = await imported('Service 1.1', {
    'a.xml': `<annotations>${image}${image}</annotations>`,
  })
  expect([shapes.length, shared?.count]).toEqual([2, 2])
})

describe('equal tracks in two files', () => {
  test('are stored once for native documents', async () => {
    const box = (frame: number, x: number) =>
      `<box frame="${frame}" keyframe="1" outside="0" occluded="0" xtl="${x}" ytl="1" xbr="9" ybr="9"/>`
    const text = (x: number) =>
      `<annotations><track id="0" label="car">${box(0, 1)}${box(1, x)}</track></annotations>`
    const once = await imported('Service 1.1', { '1.xml': text(2), '2.xml': text(2) })
    expect([once.tracks.length, once.repeated?.count]).toEqual([1, 1])
    const both = await imported('Service 1.1', { '1.xml': text(2), '2.xml': text(3) })
    expect([both.tracks.length, both.repeated]).toEqual([2, undefined])
  })

  test('are stored once for COCO files', async () => {
    const text = (x: number) => {
      const attributes = { track_id: 3, keyframe: true }
      const annotation = { category_id: 1, attributes }
      return JSON.stringify({
        images: [1, 2].map((id) => ({ id, file_name: ['a.png', 'b.png'][id - 1] })),
        categories: [{ id: 1, name: 'car' }],
        annotations: [
          { ...annotation, id: 1, image_id: 1, bbox: [1, 1, 8, 8] },
          { ...annotation, id: 2, image_id: 2, bbox: [x, 1, 8, 8] },
        ],
      })
    }
    const names = ['annotations/instances_1.json', 'annotations/instances_2.json']
    const filesOf = (...all: number[]) =>
      Object.fromEntries(all.map((x, at) => [names[at] ?? '', text(x)]))
    const once = await imported('COCO 1.0', filesOf(2, 2))
    expect([once.tracks.length, once.repeated?.count, once.shared?.count]).toEqual([1, 1, 4])
    const both = await imported('COCO 1.0', filesOf(2, 3))
    expect([both.tracks.length, both.repeated]).toEqual([2, undefined])
  })
})
