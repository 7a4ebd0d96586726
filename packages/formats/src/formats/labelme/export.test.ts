import { describe, expect, test } from 'vitest'
import { readPng } from '../../image/png.ts'
import type { DatasetShape } from '../../model/dataset.ts'
import { car, createSpec, labels, twoFrames } from '../../testing/coco.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  membersOf,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
} from '../../testing/run.ts'
import { labelMe } from '../labelme.ts'

const exported = (streams: Parameters<typeof datasetOf>[2], known = labels) =>
  exportBytes(labelMe.exporter, datasetOf(known, twoFrames(), streams))

const again = (bytes: Uint8Array, known = labels) =>
  importBytes(labelMe, bytes, targetOf(known, twoFrames()), { conv_mask_to_poly: false })

describe('a LabelMe export', () => {
  test('writes exactly this document', async () => {
    const color = [{ spec_id: 1, value: 'a, b' }]
    const { files, report } = await exported({
      shapes: [
        shapeOf({ label_id: 40, group: 3, rotation: 30, occluded: true, attributes: color }),
        shapeOf({ label_id: 41, type: 'polygon', group: 3, points: [0, 0, 10.126, 0, 10, 5] }),
        shapeOf({ label_id: 41, type: 'mask', points: [0, 2, 3, 4, 4, 4] }),
      ],
    })
    expect(Object.keys(files)).toEqual([
      'default/Masks/a_mask_2.png',
      'default/a.xml',
      'default/b/c.xml',
    ])
    expect(files['default/a.xml']).toBe(document)
    expect(report).toMatchObject({ created: { shapes: 3 }, entries: [] })
  })

  test('writes the rotation of a box once although its label has an attribute "rotation"', async () => {
    const turned = labelOf({
      id: 7,
      name: 'x',
      attributes: [createSpec({ id: 9, name: 'rotation' })],
    })
    const shape = shapeOf({ label_id: 7, rotation: 30, attributes: [{ spec_id: 9, value: '5' }] })
    const { files } = await exported({ shapes: [shape] }, [turned])
    expect(files['default/a.xml']).toContain('<attributes>rotation=30.0</attributes>')
  })

  test('writes a document for each image without annotations', async () => {
    const { files, report } = await exported({})
    expect(files['default/b/c.xml']).toBe(`<annotation>
  <filename>c.jpg</filename>
  <folder>b</folder>
  <source>
    <sourceImage></sourceImage>
    <sourceAnnotation>Service</sourceAnnotation>
  </source>
  <imagesize>
    <nrows>80</nrows>
    <ncols>100</ncols>
  </imagesize>
</annotation>
`)
    expect(report).toMatchObject({ created: { shapes: 0 }, entries: [] })
  })

  test('writes a mask as a cropped translucent image', async () => {
    const mask = shapeOf({ label_id: 41, type: 'mask', frame: 1, points: [0, 2, 3, 4, 4, 4] })
    const { bytes, files } = await exported({ shapes: [mask] })
    expect(files['default/b/c.xml']).toContain('<mask>c_mask_0.png</mask>')
    const members = await membersOf(bytes)
    const picture = await readPng(members['default/Masks/b/c_mask_0.png'] ?? new Uint8Array(), {})
    expect([picture.width, picture.height, picture.palette, picture.alphas]).toEqual([
      100,
      80,
      [0, 0x00cbff],
      [0, 153],
    ])
    const set = [...picture.samples.keys()].filter((at) => picture.samples[at] === 1)
    expect(set).toEqual([403, 404])
  })

  test('separates subsets and images whose names differ only by extension', async () => {
    const image = async function* () {
      yield Buffer.from('pixels')
    }
    const frames = framesOf(['ä ö/1.jpg', 'ä ö/1.png']).map((frame) => ({ ...frame, image }))
    const one = datasetOf(labels, frames, {}, { name: 'Train' })
    const two = datasetOf(labels, frames.slice(0, 1), {}, { name: 'x/y' })
    const subsets = [...one.subsets, ...two.subsets]
    const { files } = await exportBytes(labelMe.exporter, { ...one, subsets, saveImages: true })
    expect(Object.keys(files)).toEqual([
      'Train/ä ö/1.xml',
      'Train/ä ö/1.png.xml',
      'x_y/ä ö/1.xml',
      'Train/ä ö/1.jpg',
      'Train/ä ö/1.png',
      'x_y/ä ö/1.jpg',
    ])
    expect(files['Train/ä ö/1.png.xml']).toContain('<folder>ä ö</folder>')
  })

  test('writes tracks as shapes with a track_id and reports this once', async () => {
    const shapes = [trackShapeOf({ frame: 0 }), trackShapeOf({ frame: 1, points: [2, 2, 12, 22] })]
    const { files, report } = await exported({ tracks: [trackOf(shapes, { label_id: 41 })] })
    expect(files['default/b/c.xml']).toContain(
      '<attributes>rotation=0.0, track_id=0, keyframe=True</attributes>',
    )
    expect(report).toMatchObject({ created: { shapes: 2 }, converted: 1, dropped: 0 })
  })

  test('reports shapes that it drops and shapes that it converts', async () => {
    const { report } = await exported({
      tags: [{ frame: 0, label_id: 40, group: 0, source: 'manual', attributes: [] }],
      shapes: [
        shapeOf({ type: 'polyline', label_id: 41, points: [0, 0, 1, 1] }),
        shapeOf({ label_id: 41, z_order: 2, score: 0.5 }),
        shapeOf({ type: 'ellipse', label_id: 41, points: [20, 20, 5, 5] }),
        shapeOf({ type: 'ellipse', label_id: 41, points: [-50, -50, 5, 5] }),
      ],
    })
    expect(report.entries.map(({ kind, code, reason }) => [kind, code, reason])).toEqual([
      ['dropped', 'dropped-shape-type', 'LabelMe 3.0 has no tags'],
      ['dropped', 'dropped-shape-type', 'LabelMe 3.0 has no polylines'],
      ['dropped', 'dropped-attribute', 'LabelMe 3.0 has no z order'],
      ['dropped', 'dropped-attribute', 'LabelMe 3.0 has no scores'],
      ['converted', 'dropped-shape-type', 'ellipses are written as masks'],
      ['dropped', 'degenerate-shape', 'the shape covers no pixel'],
    ])
  })

  test('refuses an invalid attribute value and names frame, label and attribute', async () => {
    const shape = shapeOf({ label_id: 40, attributes: [{ spec_id: 2, value: 'many' }] })
    await expect(exported({ shapes: [shape] })).rejects.toThrow(
      'a.jpg: car: attribute "doors" is "many", expected a number',
    )
  })
})

describe('a LabelMe export that is imported again', () => {
  test('keeps boxes, polygons, masks, groups, flags and attributes', async () => {
    const values = ['blue, "x"=\\', '2.5', 'true'].map((value, index) => ({
      spec_id: index + 1,
      value,
    }))
    const shapes = [
      shapeOf({ label_id: 40, rotation: 33.3, occluded: true, attributes: values }),
      shapeOf({ label_id: 41, type: 'polygon', points: [0.5, 0.25, 50, 3, 20.75, 40], group: 1 }),
      shapeOf({ label_id: 41, type: 'mask', points: [0, 3, 1, 2, 6, 6, 8, 7], group: 1 }),
      shapeOf({ label_id: 41, type: 'mask', frame: 1, points: [0, 3, 1, 2, 6, 6, 8, 7] }),
    ]
    const { bytes } = await exported({ shapes })
    const { shapes: read, report } = await again(bytes)
    expect(read).toEqual(shapes)
    expect(report).toMatchObject({ created: { shapes: 4 }, entries: [] })
    const second = await exported({ shapes: read })
    expect(second.bytes.equals(bytes)).toBe(true)
  })

  test('keeps the user name of a shape when the label has an attribute for it', async () => {
    const user = labelOf({
      id: 7,
      name: 'a <b> & c',
      attributes: [createSpec({ id: 9, name: 'username' })],
    })
    const shape = shapeOf({ label_id: 7, attributes: [{ spec_id: 9, value: 'jo' }] })
    const { bytes, files } = await exported({ shapes: [shape] }, [user])
    expect(files['default/a.xml']).toContain('<username>jo</username>')
    expect(files['default/a.xml']).toContain('<attributes>rotation=0.0</attributes>')
    expect((await again(bytes, [user])).shapes).toEqual([shape])
  })

  test('is stable from the second round trip on', async () => {
    const sent: DatasetShape[] = [
      shapeOf({ label_id: car.id, points: [1.2345, 2.005, 11.999, 22.5], z_order: 3 }),
      shapeOf({ type: 'ellipse', label_id: 41, points: [20.4, 20, 5, 9], rotation: 20 }),
      shapeOf({ type: 'mask', label_id: 41, points: [0, 6, 99, 0, 100, 2], group: 5 }),
    ]
    const first = await exported({ shapes: sent })
    const second = await exported({ shapes: (await again(first.bytes)).shapes })
    const third = await exported({ shapes: (await again(second.bytes)).shapes })
    expect(third.bytes.equals(second.bytes)).toBe(true)
  })
})

const document = `<annotation>
  <filename>a.jpg</filename>
  <folder></folder>
  <source>
    <sourceImage></sourceImage>
    <sourceAnnotation>Service</sourceAnnotation>
  </source>
  <imagesize>
    <nrows>80</nrows>
    <ncols>100</ncols>
  </imagesize>
  <object>
    <name>car</name>
    <deleted>0</deleted>
    <verified>0</verified>
    <occluded>yes</occluded>
    <date></date>
    <id>0</id>
    <parts>
      <hasparts>1</hasparts>
      <ispartof></ispartof>
    </parts>
    <type>bounding_box</type>
    <polygon>
      <pt>
        <x>1.00</x>
        <y>2.00</y>
      </pt>
      <pt>
        <x>11.00</x>
        <y>2.00</y>
      </pt>
      <pt>
        <x>11.00</x>
        <y>22.00</y>
      </pt>
      <pt>
        <x>1.00</x>
        <y>22.00</y>
      </pt>
      <username></username>
    </polygon>
    <attributes>color=a\\, b, doors=4, parked=False, rotation=30.0</attributes>
  </object>
  <object>
    <name>road</name>
    <deleted>0</deleted>
    <verified>0</verified>
    <occluded>no</occluded>
    <date></date>
    <id>1</id>
    <parts>
      <hasparts></hasparts>
      <ispartof>0</ispartof>
    </parts>
    <polygon>
      <pt>
        <x>0.00</x>
        <y>0.00</y>
      </pt>
      <pt>
        <x>10.13</x>
        <y>0.00</y>
      </pt>
      <pt>
        <x>10.00</x>
        <y>5.00</y>
      </pt>
      <username></username>
    </polygon>
    <attributes></attributes>
  </object>
  <object>
    <name>road</name>
    <deleted>0</deleted>
    <verified>0</verified>
    <occluded>no</occluded>
    <date></date>
    <id>2</id>
    <parts>
      <hasparts></hasparts>
      <ispartof></ispartof>
    </parts>
    <segm>
      <mask>a_mask_2.png</mask>
      <box>
        <xmin>3.00</xmin>
        <ymin>4.00</ymin>
        <xmax>5.00</xmax>
        <ymax>5.00</ymax>
      </box>
      <username></username>
    </segm>
    <attributes></attributes>
  </object>
</annotation>
`
