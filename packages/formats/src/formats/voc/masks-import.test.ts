import { describe, expect, test } from 'vitest'
import { paletteColor } from '../../image/colors.ts'
import { writePalettePng, writeRgbPng } from '../../image/png.ts'
import { framesOf, importBytes, labelOf, targetOf, zipOf } from '../../testing/run.ts'
import { documentText, objectText } from '../../testing/voc.ts'
import { voc } from '../voc.ts'

const labels = [
  labelOf({ id: 40, name: 'car', color: '#ff0000' }),
  labelOf({ id: 41, name: 'road', color: '#00ff00' }),
]
const declared =
  '\ufeff# label:color_rgb:parts:actions\r\nbackground:0,0,0::\r\nroad:1,2,3::\r\ncar:9,9,9:head:sitting'

/** An image of 4 x 2 pixels. */
const picture = (colors: number[]): Uint8Array => writeRgbPng(4, 2, colors)
const [road, car, border] = [0x010203, 0x090909, 0xe0e0c0]

async function imported(
  files: Record<string, string | Uint8Array>,
  { conv_mask_to_poly = false, known = labels } = {},
) {
  const target = targetOf(known, framesOf(['a.jpg'], 4, 2))
  const bytes = await zipOf({ 'ImageSets/Segmentation/train.txt': 'a\n', ...files })
  return importBytes(voc, bytes, target, { conv_mask_to_poly })
}

test('pixels with equal class and object form a mask', async () => {
  const { shapes, report } = await imported({
    'labelmap.txt': declared,
    'SegmentationClass/a.png': picture([0, road, road, car, border, road, car, car]),
    'SegmentationObject/a.png': picture([0, 5, 6, 6, 7, 5, 0, 6]),
  })
  expect(
    shapes.map(({ type, label_id, points, group }) => [type, label_id, points, group]),
  ).toEqual([
    ['mask', 41, [0, 2, 1, 0, 1, 1], 0],
    ['mask', 41, [0, 1, 2, 0, 2, 0], 0],
    ['mask', 40, [0, 2, 3, 0, 3, 1], 0],
  ])
  expect(report.entries).toMatchObject([{ reason: "pixels of class 'car' are of no object" }])
})

test('without an image of objects each class is one mask', async () => {
  const { shapes } = await imported({
    'labelmap.txt': declared,
    'SegmentationClass/a.png': picture([road, 0, 0, road, 0, 0, 0, 0]),
  })
  expect(shapes).toMatchObject([{ label_id: 41, points: [0, 1, 2, 1, 0, 0, 3, 0] }])
})

test('masks are imported with the boxes of their image, as polygons by default', async () => {
  const bytes = await zipOf({
    'Annotations/a.xml': documentText(objectText()),
    'labelmap.txt': declared,
    'SegmentationClass/a.png': picture([road, 0, 0, road, 0, 0, 0, 0]),
  })
  const { shapes, report } = await importBytes(
    voc,
    bytes,
    targetOf(labels, framesOf(['a.jpg'], 4, 2)),
  )
  expect(shapes.map(({ type, group }) => [type, group])).toEqual([
    ['rectangle', 0],
    ['polygon', 1],
    ['polygon', 1],
  ])
  expect(report).toMatchObject({ converted: 1 })
})

describe('without a label map the colours of masks are', () => {
  const bike = labelOf({ id: 50, name: 'bicycle' })
  test("those of the task's labels, then those of the dataset", async () => {
    const { shapes } = await imported(
      { 'SegmentationClass/a.png': picture([0xff0000, paletteColor(2), 0, 0, 0, 0, 0, 0]) },
      { known: [...labels, bike] },
    )
    expect(shapes.map(({ label_id }) => label_id)).toEqual([40, 50])
  })

  test('those of the palette of an indexed image', async () => {
    const palette = [0, 1, 2].map((index) => ({ color: paletteColor(index) }))
    const indexes = Uint8Array.from([2, 0, 0, 0, 0, 0, 0, 0])
    const { shapes } = await imported(
      { 'SegmentationClass/a.png': writePalettePng(4, 2, indexes, palette) },
      { known: [bike] },
    )
    expect(shapes).toMatchObject([{ label_id: 50, points: [0, 1, 0, 0, 0, 0] }])
  })
})

test('the background is skipped unless the task has it as a label', async () => {
  const files = {
    'labelmap.txt': declared,
    'SegmentationClass/a.png': picture([0, 0, 0, 0, 0, 0, 0, road]),
  }
  expect((await imported(files)).shapes).toHaveLength(1)
  const known = [...labels, labelOf({ id: 60, name: 'background' })]
  const { shapes } = await imported(files, { known })
  expect(shapes.map(({ label_id }) => label_id)).toEqual([60, 41])
})

test('masks of frames outside the job are skipped', async () => {
  const target = targetOf(labels, framesOf(['a.jpg'], 4, 2))
  const frames = { ...target.frames, includes: () => false }
  const bytes = await zipOf({
    'labelmap.txt': declared,
    'SegmentationClass/a.png': picture([road, 0, 0, 0, 0, 0, 0, 0]),
  })
  const { shapes, report } = await importBytes(voc, bytes, { ...target, frames })
  expect(shapes).toEqual([])
  expect(report.entries).toMatchObject([{ code: 'frame-outside-job', count: 1 }])
})

describe('an import of Pascal VOC masks refuses', () => {
  const one = picture([road, 0, 0, 0, 0, 0, 0, 0])
  test.each<[string, Record<string, string | Uint8Array>, string]>([
    [
      'a colour that no label has',
      { 'labelmap.txt': declared, 'SegmentationClass/a.png': picture([road, 7, 7, 0, 0, 0, 0, 0]) },
      'SegmentationClass/a.png: no label has the colour 0,0,7 (2 pixels)',
    ],
    [
      'a picture of objects alone',
      { 'SegmentationObject/a.png': one },
      'SegmentationObject/a.png: there is no picture of classes beside it',
    ],
    [
      'a picture of another size than its frame',
      {
        'labelmap.txt': declared,
        'SegmentationClass/a.png': writeRgbPng(2, 4, [0, 0, 0, 0, 0, 0, 0, 0]),
      },
      'SegmentationClass/a.png: mask of 2 x 4 pixels on a frame of 4 x 2',
    ],
    [
      'a picture of objects of another size',
      {
        'labelmap.txt': declared,
        'SegmentationClass/a.png': one,
        'SegmentationObject/a.png': writeRgbPng(1, 1, [0]),
      },
      'SegmentationObject/a.png: mask of 1 x 1 pixels on a frame of 4 x 2',
    ],
    [
      'a picture that is none',
      { 'labelmap.txt': declared, 'SegmentationClass/a.png': 'GIF' },
      'SegmentationClass/a.png: the PNG picture cannot be read',
    ],
    [
      'masks of an image that has no frame',
      {
        'labelmap.txt': declared,
        'ImageSets/Segmentation/train.txt': 'x\ny',
        'SegmentationClass/x.png': one,
        'SegmentationClass/y.png': picture([0, 0, 0, 0, 0, 0, 0, 0]),
      },
      '1 annotated item has no matching frame in this task: x',
    ],
    [
      'a label that the task has not',
      {
        'labelmap.txt': 'tree:1,2,3::',
        'SegmentationClass/a.png': one,
      },
      "Label 'tree' is not registered for this task",
    ],
    [
      'a label map with a name that is given twice',
      { 'labelmap.txt': 'a:::\nb:::\na:::' },
      "labelmap.txt: label 'a' is given twice at line 3",
    ],
    [
      'a label map with a line of other fields',
      { 'labelmap.txt': 'a:1,2,3' },
      'labelmap.txt: "a:1,2,3" is no label, expected name:r,g,b:parts:actions at line 1',
    ],
  ])('%s', async (_, files, message) => {
    await expect(imported(files)).rejects.toThrow(message)
  })
})

test('masks and tags belong to the frame of the file name in a numbered document', async () => {
  const files = {
    'Annotations/0.xml': documentText('<filename>d.png</filename>', objectText()),
    'ImageSets/Main/train.txt': '0\n',
    'ImageSets/Main/road_train.txt': '0  1\n',
    'SegmentationClass/0.png': writeRgbPng(4, 1, [0, car, car, 0]),
    'labelmap.txt': declared,
  }
  const target = targetOf(labels, framesOf(['b.png', 'c.png', 'd.png'], 4, 1))
  const { imported } = await importBytes(voc, await zipOf(files), target)
  expect(imported).toMatchObject([
    { shape: { type: 'rectangle', frame: 2 } },
    { shape: { type: 'polygon', frame: 2 } },
    { tag: { frame: 2 } },
  ])
})
