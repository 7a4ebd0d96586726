import { describe, expect, test } from 'vitest'
import type { DatasetLabel, DatasetShape } from '../model/dataset.ts'
import { findExporter, findImporter } from '../registry.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
  zipOf,
} from '../testing/run.ts'
import { recordOf } from '../testing/tfrecord.ts'
import { attributesText, documentText, objectText } from '../testing/voc.ts'

/** Two opposite corners define one box in any order, in every format with corners, for imports and exports. */

const box = [1, 2, 30, 40]
const orders = [
  [1, 2, 30, 40],
  [30, 40, 1, 2],
  [30, 2, 1, 40],
  [1, 40, 30, 2],
]
const car = labelOf({ name: 'car' })
const frames = framesOf(['a.png', 'b.png', 'c.png'], 200, 100)

function imported(name: string, bytes: Uint8Array | string, labels: DatasetLabel[] = [car]) {
  const format = findImporter(name)
  if (!format) throw new Error(`no importer ${name}`)
  return importBytes(format, bytes, targetOf(labels, frames))
}

describe.each(orders)('an import of the corners %d,%d and %d,%d', (x1, y1, x2, y2) => {
  const sides = `xtl="${x1}" ytl="${y1}" xbr="${x2}" ybr="${y2}"`
  const inImage = (inner: string) =>
    `<annotations><image id="0" name="a.png">${inner}</image></annotations>`

  test('stores the box of a native document', async () => {
    const turned = `<box label="car" rotation="30" ${sides}/>`
    const { shapes } = await imported(
      'Service 1.1',
      inImage(`<box label="car" ${sides}/>${turned}`),
    )
    expect(shapes).toMatchObject([
      { points: box, rotation: 0 },
      { points: box, rotation: 30 },
    ])
  })

  test('stores the boxes of a native track', async () => {
    const boxes = [0, 2].map((frame) => `<box frame="${frame}" keyframe="1" ${sides}/>`)
    const text = `<annotations><track label="car">${boxes.join('')}</track></annotations>`
    const { tracks } = await imported('Service 1.1', text)
    expect(tracks[0]?.shapes.map(({ points }) => points)).toEqual([box, box])
  })

  test('stores a box that is an element of a native skeleton', async () => {
    const part = labelOf({ id: 3, name: 'head', type: 'rectangle' })
    const body = labelOf({ id: 2, name: 'body', type: 'skeleton', sublabels: [part] })
    const text = inImage(`<skeleton label="body"><box label="head" ${sides}/></skeleton>`)
    const { shapes } = await imported('Service 1.1', text, [body])
    expect(shapes).toMatchObject([{ elements: [{ points: box }] }])
  })

  test('stores the boxes of Pascal VOC shapes and tracks', async () => {
    const of = (more = '') => documentText(objectText({ name: 'car', box: [x1, y1, x2, y2], more }))
    const more = attributesText({ track_id: '4', keyframe: 'True' })
    const { shapes, tracks } = await imported(
      'Pascal VOC 1.1',
      await zipOf({ 'a.xml': of(), 'b.xml': of(more) }),
    )
    expect(shapes).toMatchObject([{ frame: 0, points: box }])
    expect(tracks[0]?.shapes[0]).toMatchObject({ frame: 1, points: box })
  })

  test('stores the box of KITTI', async () => {
    const line = `car 0 0 -1 ${x1} ${y1} ${x2} ${y2} -1 -1 -1 -1 -1 -1 -1\n`
    const { shapes } = await imported('KITTI 1.0', await zipOf({ 'label_2/a.txt': line }))
    expect(shapes).toMatchObject([{ points: box }])
  })

  test('stores the box of TFRecord', async () => {
    const record = recordOf({
      'image/filename': 'a.png',
      'image/object/class/text': 'car',
      'image/object/bbox/xmin': x1 / 200,
      'image/object/bbox/ymin': y1 / 100,
      'image/object/bbox/xmax': x2 / 200,
      'image/object/bbox/ymax': y2 / 100,
    })
    const { shapes } = await imported('TFRecord 1.0', await zipOf({ 'x.tfrecord': record }))
    expect(shapes.map(({ points }) => points.map(Math.round))).toEqual([box])
  })

  test('stores the box of LabelMe', async () => {
    const corners = [
      [x1, y1],
      [x2, y2],
    ].map(([x, y]) => `<pt><x>${x}</x><y>${y}</y></pt>`)
    const object = `<object><name>car</name><type>bounding_box</type><polygon>${corners.join('')}</polygon></object>`
    const text = `<annotation><filename>a.png</filename>${object}</annotation>`
    const { shapes } = await imported('LabelMe 3.0', await zipOf({ 'a.xml': text }))
    expect(shapes).toMatchObject([{ type: 'rectangle', points: box }])
  })
})

describe.each(orders.slice(1))('an export of the stored corners %d,%d and %d,%d', (...points) => {
  const expected: [format: string, file: string, text: string][] = [
    ['YOLO 1.1', 'obj_train_data/a.txt', '0 0.077500 0.210000 0.145000 0.380000'],
    ['Pascal VOC 1.1', 'Annotations/a.xml', '<xmin>1.0</xmin>'],
    ['Pascal VOC 1.1', 'Annotations/a.xml', '<ymax>40.0</ymax>'],
    ['MOT 1.1', 'gt/gt.txt', '1.0,2.0,29.0,38.0,'],
    ['KITTI 1.0', 'default/label_2/a.txt', ' 1.0 2.0 30.0 40.0 '],
    ['COCO 1.0', 'annotations/instances_default.json', '"bbox":[1.0,2.0,29.0,38.0]'],
    ['LabelMe 3.0', 'default/a.xml', '<x>1.00</x>\n        <y>2.00</y>'],
    ['Service 1.1', 'annotations.xml', 'xtl="1.00" ytl="2.00" xbr="30.00" ybr="40.00"'],
    ['Service for images 1.1', 'annotations.xml', 'xtl="1.00" ytl="2.00" xbr="30.00" ybr="40.00"'],
    ['Service for video 1.1', 'annotations.xml', 'xtl="1.00" ytl="2.00" xbr="30.00" ybr="40.00"'],
  ]
  const exported = (name: string, given: Parameters<typeof datasetOf>[2], labels = [car]) =>
    exportBytes(findExporter(name)?.exporter, datasetOf(labels, frames, given))

  test.each(expected)('writes the ordered box of a shape in %s', async (name, file, text) => {
    const { files, report } = await exported(name, { shapes: [shapeOf({ points })] })
    expect(files[file]).toContain(text)
    expect(report.entries.filter(({ kind }) => kind === 'dropped')).toEqual([])
  })

  test.each(expected)('writes the ordered box of a keyframe in %s', async (name, file, text) => {
    const shapes = [trackShapeOf({ points }), trackShapeOf({ frame: 2, points: box })]
    const { files } = await exported(name, { tracks: [trackOf(shapes)] })
    expect(files[file]).toContain(text)
  })

  test('interpolates between boxes with corners in different orders', async () => {
    const shapes = [trackShapeOf({ points }), trackShapeOf({ frame: 2, points: [3, 4, 32, 42] })]
    const { files } = await exported('MOT 1.1', { tracks: [trackOf(shapes)] })
    expect(files['gt/gt.txt']).toContain('2,1,2.0,3.0,29.0,38.0,')
    const { files: native } = await exported('Service 1.1', { tracks: [trackOf(shapes)] })
    expect(native['annotations.xml']).toContain('xtl="2.00" ytl="3.00" xbr="31.00" ybr="41.00"')
  })

  test('keeps the rotation of a box', async () => {
    const given: Partial<DatasetShape> = { points, rotation: 30 }
    const { files } = await exported('Service 1.1', { shapes: [shapeOf(given)] })
    expect(files['annotations.xml']).toContain(
      'xtl="1.00" ytl="2.00" xbr="30.00" ybr="40.00" rotation="30.00"',
    )
    const { files: coco } = await exported('COCO 1.0', { shapes: [shapeOf(given)] })
    expect(coco['annotations/instances_default.json']).toContain('"bbox":[1.0,2.0,29.0,38.0]')
  })
})
