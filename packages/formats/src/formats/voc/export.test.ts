import { describe, expect, test } from 'vitest'
import { paletteColor } from '../../image/colors.ts'
import { readPng } from '../../image/png.ts'
import type { DatasetShape, DatasetTag } from '../../model/dataset.ts'
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
import { car, exportVocStreams, labels, ship, twoFrames } from '../../testing/voc.ts'
import { voc } from '../voc.ts'

const again = (bytes: Uint8Array, known = labels, frames = twoFrames()) =>
  importBytes(voc, bytes, targetOf(known, frames), { conv_mask_to_poly: false })

const tagOf = (given: Partial<DatasetTag>): DatasetTag => {
  return { frame: 0, label_id: 40, group: 0, source: 'file', attributes: [], ...given }
}

const mask = { type: 'mask', points: [0, 2, 3, 4, 4, 4], label_id: 41 } as const

describe('a Pascal VOC export', () => {
  test('writes exactly these files', async () => {
    const { files, report } = await exportVocStreams({
      shapes: [
        shapeOf({
          label_id: 40,
          points: [1.234, 2, 11, 22.5],
          rotation: 30,
          occluded: true,
          attributes: [{ spec_id: 1, value: 'a <b> & "c"' }],
        }),
        shapeOf({ ...mask, frame: 1 }),
      ],
    })
    expect(Object.keys(files)).toEqual([
      'labelmap.txt',
      'ImageSets/Main/default.txt',
      'Annotations/a.xml',
      'Annotations/b/c.xml',
      'SegmentationClass/b/c.png',
      'SegmentationObject/b/c.png',
      'ImageSets/Segmentation/default.txt',
    ])
    expect(files['Annotations/a.xml']).toBe(document)
    expect(files['Annotations/b/c.xml']).toContain('<segmented>1</segmented>\n</annotation>')
    expect(files['ImageSets/Main/default.txt']).toBe('a\nb/c\n')
    expect(files['ImageSets/Segmentation/default.txt']).toBe('b/c\n')
    expect(files['labelmap.txt']).toBe(
      '# label:color_rgb:parts:actions\nbackground:0,0,0::\ncar:128,0,0::\nroad:0,128,0::\n',
    )
    expect(report).toMatchObject({ created: { shapes: 2 }, entries: [] })
  })

  test('writes a document for each image without annotations, and lists them', async () => {
    const { files, report } = await exportVocStreams({})
    expect(Object.keys(files)).toEqual([
      'labelmap.txt',
      'ImageSets/Main/default.txt',
      'Annotations/a.xml',
      'Annotations/b/c.xml',
      'ImageSets/Segmentation/default.txt',
    ])
    expect(files['Annotations/b/c.xml']).toBe(
      document.replace('a.jpg', 'b/c.jpg').replace(/ {2}<object>.*<\/object>\n/s, ''),
    )
    expect(files['ImageSets/Segmentation/default.txt']).toBe('a\nb/c\n')
    expect(report).toMatchObject({ created: { shapes: 0, tags: 0 }, entries: [] })
  })

  test('writes images in colours of labels and of objects, painted by z order', async () => {
    const shapes = [
      shapeOf({ ...mask, z_order: 1 }),
      shapeOf({ ...mask, points: [0, 3, 4, 4, 6, 4], label_id: 40 }),
      shapeOf({ type: 'ellipse', label_id: 40, points: [50, 40, 1, 0] }),
    ]
    const { bytes, report } = await exportVocStreams({ shapes })
    const members = await membersOf(bytes)
    const colorsOf = async (kind: string) => {
      const member = members[`Segmentation${kind}/a.png`] ?? new Uint8Array()
      const { kind: type, samples, width, height } = await readPng(member, {})
      expect([type, width, height]).toEqual(['rgb', 100, 80])
      return (at: number) =>
        [0, 1, 2].reduce((color, channel) => color * 256 + (samples[3 * at + channel] ?? 0), 0)
    }
    const [classAt, objectAt] = [await colorsOf('Class'), await colorsOf('Object')]
    const pixels = [402, 403, 404, 405, 406, 407, 4050]
    const [first, second] = [paletteColor(1), paletteColor(2)]
    expect(pixels.map(classAt)).toEqual([0, second, second, first, first, 0, first])
    expect(pixels.map(objectAt)).toEqual([0, 3, 3, 1, 1, 0, 2].map(paletteColor))
    expect(report.entries).toMatchObject([{ reason: 'ellipses are written as masks', count: 1 }])
  })

  test('writes lists of tags for labels that have any', async () => {
    const more = [...labels, labelOf({ id: 50, name: 'a/b' })]
    const tags = [tagOf({ frame: 0 }), tagOf({ frame: 0, label_id: 50 }), tagOf({ frame: 1 })]
    const { bytes, files, report } = await exportVocStreams({ tags }, more)
    expect(files).toMatchObject({
      'ImageSets/Main/car_default.txt': 'a  1\nb/c  1\n',
      'ImageSets/Main/road_default.txt': 'a -1\nb/c -1\n',
      'ImageSets/Main/a_b_default.txt': 'a  1\nb/c -1\n',
    })
    expect(files['ImageSets/Segmentation/default.txt']).toBeUndefined()
    expect(report).toMatchObject({ created: { tags: 3 }, entries: [] })
    const { imported } = await again(bytes, more)
    expect(
      imported.map((one) => (one.kind === 'tag' ? [one.tag.frame, one.tag.label_id] : one)),
    ).toEqual([
      [0, 50],
      [0, 40],
      [1, 40],
    ])
  })

  test('writes one tag of a label on an image, and reports further ones', async () => {
    const tags = [tagOf({}), tagOf({}), tagOf({ label_id: 41 })]
    const { bytes, files, report } = await exportVocStreams({ tags })
    expect(files['ImageSets/Main/car_default.txt']).toBe('a  1\n')
    expect(report).toMatchObject({
      created: { tags: 2 },
      entries: [{ kind: 'dropped', code: 'duplicate-entry', count: 1 }],
    })
    expect((await again(bytes)).imported).toHaveLength(2)
  })

  test('writes the background once into its label map, first and black', async () => {
    const { files } = await exportVocStreams({}, [
      ...labels,
      labelOf({ id: 60, name: 'background' }),
    ])
    expect(files['labelmap.txt']).toBe(
      '# label:color_rgb:parts:actions\nbackground:0,0,0::\ncar:128,0,0::\nroad:0,128,0::\n',
    )
  })

  test('writes attributes into fields of the same name when the values fit', async () => {
    const values = (...texts: string[]) =>
      texts.map((value, index) => ({ spec_id: index + 5, value }))
    const shapes = [
      shapeOf({ label_id: 42, attributes: values('true', '1', 'Left', 'true') }),
      shapeOf({ label_id: 42, attributes: values('false', '0.5', '', 'false') }),
    ]
    const { bytes, files } = await exportVocStreams({ shapes }, [ship])
    const text = files['Annotations/a.xml'] ?? ''
    expect(text.match(/<(pose|truncated|difficult)>.*/g)).toEqual([
      '<pose>Left</pose>',
      '<truncated>1</truncated>',
      '<difficult>1</difficult>',
      '<pose></pose>',
      '<truncated>0</truncated>',
      '<difficult>0</difficult>',
    ])
    expect(text.match(/<name>(sailing|difficult)<.name>\s*<value>.*/g)).toHaveLength(3)
    const read = await again(bytes, [ship])
    const texts = read.shapes.map(({ attributes }) =>
      attributes.map(({ spec_id, value }) => `${spec_id}:${value}`).sort(),
    )
    expect(texts).toEqual([
      ['5:true', '6:1', '7:Left', '8:true'],
      ['5:false', '6:0.5', '8:false'],
    ])
  })

  test('separates subsets and images in one folder, and frames that differ by extension', async () => {
    const image = async function* () {
      yield Buffer.from('pixels')
    }
    const frames = framesOf(['ä ö/2007_1.jpg', 'ä ö/2007_1.png']).map((frame) => ({
      ...frame,
      image,
    }))
    const one = datasetOf(labels, frames, {}, { name: 'my_train' })
    const two = datasetOf(labels, frames.slice(0, 1), {}, { name: 'x/y' })
    const subsets = [...one.subsets, ...two.subsets]
    const { files, report } = await exportBytes(voc.exporter, { ...one, subsets, saveImages: true })
    expect(report.entries).toMatchObject([
      { code: 'duplicate-entry', count: 1, examples: [{ item: 'ä ö/2007_1.png' }] },
    ])
    expect(Object.keys(files)).toEqual([
      'labelmap.txt',
      'ImageSets/Main/my_train.txt',
      'ImageSets/Main/x_y.txt',
      'Annotations/ä ö/2007_1.xml',
      'Annotations/ä ö/2007_1.png.xml',
      'ImageSets/Segmentation/my_train.txt',
      'Annotations/x_y/ä ö/2007_1.xml',
      'ImageSets/Segmentation/x_y.txt',
      'JPEGImages/ä ö/2007_1.jpg',
      'JPEGImages/ä ö/2007_1.png',
      'JPEGImages/x_y/ä ö/2007_1.jpg',
    ])
    expect(files['Annotations/x_y/ä ö/2007_1.xml']).toContain(
      '<folder>x</folder>\n  <filename>x_y/ä ö/2007_1.jpg</filename>',
    )
    expect(files['ImageSets/Main/my_train.txt']).toBe('ä ö/2007_1\nä ö/2007_1.png\n')
  })

  test('drops and reports unsupported annotations', async () => {
    const attributes = [{ spec_id: 1, value: 'red' }]
    const tracks = [trackOf([trackShapeOf(mask)], { label_id: 41 })]
    const { report } = await exportVocStreams({
      tracks,
      tags: [tagOf({ attributes })],
      shapes: [
        shapeOf({ type: 'polygon', label_id: 41, points: [0, 0, 10, 0, 10, 10] }),
        shapeOf({ type: 'polygon', label_id: 41, points: [0, 0, 10, 0, 10, 10] }),
        shapeOf({ ...mask, label_id: 40, attributes, occluded: true }),
        shapeOf({ label_id: 41, group: 2, score: 0.5 }),
        shapeOf({ ...mask, type: 'ellipse', points: [-50, -50, 5, 5] }),
      ],
    })
    const notes = report.entries.map(({ kind, code, reason, count }) => [kind, code, reason, count])
    const name = 'Pascal VOC 1.1'
    expect(notes).toEqual(
      expect.arrayContaining([
        [
          'dropped',
          'dropped-shape-type',
          `${name} has no polygons, Segmentation mask 1.1 has their pixels`,
          2,
        ],
        ['dropped', 'dropped-attribute', `${name} has no groups`, 1],
        ['dropped', 'dropped-attribute', `${name} has no scores`, 1],
        ['dropped', 'dropped-attribute', `masks of ${name} have no attributes`, 1],
        ['dropped', 'dropped-attribute', `masks of ${name} have no occlusion`, 1],
        ['dropped', 'dropped-attribute', `tags of ${name} have no attributes`, 1],
        ['dropped', 'degenerate-shape', 'the shape covers no pixel', 1],
        [
          'converted',
          'dropped-shape-type',
          'masks of tracks are written as masks of their frames',
          2,
        ],
      ]),
    )
  })

  test.each<[string, () => Promise<unknown>, string]>([
    [
      'a value that is none',
      () =>
        exportVocStreams({
          shapes: [shapeOf({ label_id: 40, attributes: [{ spec_id: 2, value: 'many' }] })],
        }),
      'a.jpg: car: attribute "doors" is "many", expected a number',
    ],
    [
      'a label that the label map cannot have',
      () => exportVocStreams({}, [labelOf({ name: 'a:b' })]),
      "label 'a:b' cannot be written to labelmap.txt",
    ],
    [
      'tags of two labels in one list',
      () =>
        exportVocStreams({ tags: [tagOf({})] }, [
          labelOf({ name: 'a/b' }),
          labelOf({ name: 'a_b' }),
        ]),
      "tags of the labels 'a/b' and 'a_b' would be in one file",
    ],
  ])('refuses %s', async (_, attempt, message) => {
    await expect(attempt()).rejects.toThrow(message)
  })
})

describe('a Pascal VOC export that is imported again', () => {
  test('keeps boxes, masks, flags, attributes and tags', async () => {
    const values = ['blue', '2.5', 'true'].map((value, index) => ({ spec_id: index + 1, value }))
    const shapes = [
      shapeOf({ label_id: 40, rotation: 33.3, occluded: true, attributes: values }),
      shapeOf({ label_id: 41, points: [0.5, 0.25, 50.75, 3] }),
      shapeOf({ ...mask, points: [0, 3, 1, 2, 6, 6, 8, 7] }),
      shapeOf({ ...mask, points: [0, 2, 9, 6, 10, 6] }),
      shapeOf({ ...mask, frame: 1 }),
    ]
    const { bytes } = await exportVocStreams({ shapes, tags: [tagOf({ frame: 1 })] })
    const { shapes: read, imported, report } = await again(bytes)
    expect(read).toEqual(shapes)
    expect(imported.at(-1)).toEqual({ kind: 'tag', tag: tagOf({ frame: 1 }) })
    expect(report).toMatchObject({ created: { shapes: 5, tags: 1 }, entries: [] })
    const second = await exportVocStreams({ shapes: read, tags: [tagOf({ frame: 1 })] })
    expect(second.bytes.equals(bytes)).toBe(true)
  })

  test('keeps tracks of boxes, which end where they were hidden', async () => {
    const frames = framesOf(Array.from({ length: 8 }, (_, index) => `frame_${100 + 5 * index}.PNG`))
    const values = (value: string) => ({ attributes: [{ spec_id: 3, value }] })
    const points = [40, 0, 50, 10]
    const track = trackOf(
      [
        trackShapeOf({ frame: 1, ...values('true') }),
        trackShapeOf({ frame: 4, points, ...values('false') }),
        trackShapeOf({ frame: 5, points, outside: true, ...values('false') }),
        trackShapeOf({ frame: 7, ...values('false') }),
      ],
      {
        label_id: car.id,
        attributes: [
          { spec_id: 1, value: 'red' },
          { spec_id: 2, value: '4' },
        ],
      },
    )
    const dataset = datasetOf(labels, frames, { tracks: [track] })
    const { bytes, report } = await exportBytes(voc.exporter, dataset)
    expect(report).toMatchObject({ created: { shapes: 5 }, entries: [] })
    const read = await again(bytes, labels, frames)
    expect(read.tracks).toEqual([track])
    expect(read.shapes).toEqual([])
  })

  test('is stable from the second round trip on', async () => {
    const sent: DatasetShape[] = [
      shapeOf({ label_id: 40, points: [1.2345, 2.005, 11.999, 22.5], z_order: 3 }),
      shapeOf({ label_id: 41, points: [-5, 0, 1e5, 3], group: 1 }),
      shapeOf({ ...mask, type: 'ellipse', points: [20.4, 20, 5, 9], rotation: 20, z_order: 2 }),
      shapeOf({ ...mask, points: [0, 900, 10, 10, 39, 39], z_order: 1 }),
      shapeOf({ ...mask, points: [0, 6, 99, 0, 100, 2] }),
    ]
    const first = await exportVocStreams({ shapes: sent })
    const second = await exportVocStreams({ shapes: (await again(first.bytes)).shapes })
    const third = await exportVocStreams({ shapes: (await again(second.bytes)).shapes })
    expect(third.bytes.equals(second.bytes)).toBe(true)
  })
})

const document = `<annotation>
  <folder></folder>
  <filename>a.jpg</filename>
  <source>
    <database>Unknown</database>
    <annotation>Unknown</annotation>
    <image>Unknown</image>
  </source>
  <size>
    <width>100</width>
    <height>80</height>
    <depth></depth>
  </size>
  <segmented>0</segmented>
  <object>
    <name>car</name>
    <truncated>0</truncated>
    <occluded>1</occluded>
    <difficult>0</difficult>
    <bndbox>
      <xmin>1.23</xmin>
      <ymin>2.0</ymin>
      <xmax>11.0</xmax>
      <ymax>22.5</ymax>
    </bndbox>
    <attributes>
      <attribute>
        <name>color</name>
        <value>a &lt;b&gt; &amp; "c"</value>
      </attribute>
      <attribute>
        <name>doors</name>
        <value>4</value>
      </attribute>
      <attribute>
        <name>parked</name>
        <value>False</value>
      </attribute>
      <attribute>
        <name>rotation</name>
        <value>30.0</value>
      </attribute>
    </attributes>
  </object>
</annotation>
`
