import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { writeGrey16Png, writePalettePng, writeRgbPng } from '../../image/png.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { asMasks, labels, yes } from '../../testing/kitti.ts'
import { createRun, framesOf, importBytes, labelOf, targetOf, zipOf } from '../../testing/run.ts'
import { kitti } from '../kitti.ts'

describe('a KITTI import', () => {
  const small = framesOf(['a.jpg'], 4, 1)
  const target = targetOf(labels, small)
  const line = 'Car 0.00 2 -1.57 0 0 2 1 1.5 1.6 3.9 1 2 3 0.1'
  const read = (
    files: Record<string, string | Uint8Array>,
    given: Pick<ConversionRun, 'conv_mask_to_poly'> = asMasks,
    to = target,
  ) => zipOf(files).then((bytes) => importBytes(kitti, bytes, to, given))
  const grey = (...values: number[]) => writeGrey16Png(values.length, 1, Uint16Array.from(values))
  const colors = {
    'label_colors.txt': '\uFEFF0 0 0 background\r\n255 0 0 Car\r\n128 128 128 road\r\n',
  }
  const found = ({ shapes }: Awaited<ReturnType<typeof read>>) =>
    shapes.map(({ label_id, points }) => [label_id, ...points])

  test('reads lines of 15 and 16 columns and ignores DontCare areas', async () => {
    const text = `${line}\r\n\r\nDontCare -1 -1 -10 0 0 1 1 -1 -1 -1 -1000 -1000 -1000 -10\r\n${line} 0.25`
    const { shapes, report } = await read({ 'training/label_2/a.txt': text })
    expect(shapes).toMatchObject([
      {
        type: 'rectangle',
        label_id: 2,
        points: [0, 0, 2, 1],
        occluded: true,
        score: 1,
        attributes: [{ spec_id: 1, value: 'false' }],
      },
      { score: 0.25 },
    ])
    expect(report.entries).toEqual([])
  })

  test('replaces scores outside 0 to 1 and reports this', async () => {
    const { shapes, report } = await read({ 'label_2/a.txt': `${line} 12.5\n${line} 1\n` })
    expect(shapes.map(({ score }) => score)).toEqual([1, 1])
    expect(report.entries).toMatchObject([
      { kind: 'converted', count: 1, reason: 'a score is not between 0 and 1, it is left out' },
    ])
  })

  test('reads DontCare areas when the task has a label of that name', async () => {
    const to = targetOf([labelOf({ id: 7, name: 'DontCare' })], small)
    const text = 'DontCare -1 -1 -10 0 0 1 1 -1 -1 -1 -1000 -1000 -1000 -10\n'
    const { shapes } = await read({ 'training/label_2/a.txt': text }, {}, to)
    expect(shapes).toMatchObject([{ label_id: 7, occluded: false }])
  })

  test('reads the truncation into a numeric attribute; negative values become 0', async () => {
    const share = { id: 5, name: 'truncated', mutable: false, input_type: 'number' as const }
    const attributes = [{ ...share, values: ['0', '1', '0.01'], default_value: '0' }]
    const to = targetOf([labelOf({ id: 2, name: 'Car', attributes })], small)
    const lines = ['0.88', '-1'].map((value) => line.replace('0.00', value))
    const { shapes } = await read({ 'label_2/a.TXT': lines.join('\n') }, {}, to)
    expect(shapes.map((shape) => shape.attributes[0]?.value)).toEqual(['0.88', '0'])
  })

  test('matches an image by its full path, and a label by the first equal spelling', async () => {
    const known = ['Tram car', 'Tram\tcar'].map((name, at) => labelOf({ id: at + 1, name }))
    const to = targetOf(known, framesOf(['x.jpg', 'a.jpg', 'val/a.jpg'], 4, 1))
    const text = line.replace('Car', 'Tram_car')
    const { shapes } = await read({ 'label_2/val/a.txt': text }, {}, to)
    expect(shapes).toMatchObject([{ frame: 2, label_id: 1 }])
  })

  test('reads classes by number instead of colour; class 0 and objects without a class are dropped', async () => {
    const files = {
      'label_colors.txt': '9 9 9 other\n255 0 0 Car\n0 0 0 unlabeled\n',
      'a/semantic/a.png': grey(1, 0, 2, 2),
      'a/semantic_rgb/a.png': writeRgbPng(4, 1, [0, 0xff0000, 0xff0000, 0]),
    }
    expect(found(await read(files))).toEqual([[2, 0, 1, 0, 0, 0, 0]])
    const instances = { ...files, 'a/instance/a.png': grey(1, 257, 513, 512) }
    expect(found(await read(instances))).toEqual([[2, 0, 1, 1, 0, 1, 0]])
  })

  test('skips boxes without area', async () => {
    const { shapes, report } = await read({ 'label_2/a.txt': line.replace('0 0 2 1', '2 0 2 1') })
    expect(shapes).toEqual([])
    expect(report.entries).toMatchObject([{ code: 'degenerate-shape', count: 1 }])
  })

  test('takes a folder inside label_2 as a subset', async () => {
    const files = {
      'label_2/train/a.txt': line,
      'image_2/train/a.jpg': 'an image',
      'image_2/val/z.jpg': 'another',
    }
    expect((await read(files)).shapes).toHaveLength(1)
    const dataset = await kitti.importer?.openDataset?.(
      sourceOf(await zipOf(files)),
      createRun().run,
    )
    expect(dataset?.subsets).toMatchObject([
      { name: 'train', images: [{ name: 'a.jpg' }] },
      { name: 'val', images: [{ name: 'z.jpg' }] },
    ])
  })

  test('reads boxes and instances of one image; an object without a number is a crowd', async () => {
    const files = { ...colors, 'x/label_2/a.txt': line, 'x/instance/a.png': grey(0, 256, 384, 513) }
    const { shapes } = await read(files)
    expect(shapes).toMatchObject([
      { type: 'rectangle' },
      { type: 'mask', label_id: 2, attributes: [yes(2)], points: [0, 1, 1, 0, 1, 0] },
      { type: 'mask', label_id: 2, attributes: [{ spec_id: 2, value: 'false' }] },
      { type: 'mask', label_id: 1, attributes: [] },
    ])
  })

  test('groups the polygons of one object', async () => {
    const { shapes } = await read({ ...colors, 'x/instance/a.png': grey(257, 0, 257, 0) }, {})
    expect(shapes).toMatchObject([
      { type: 'polygon', group: 1, points: [0, 0, 1, 0, 1, 1, 0, 1] },
      { type: 'polygon', group: 1 },
    ])
  })

  test('reads semantic classes from numbers or colours', async () => {
    const expected = [
      [2, 0, 2, 1, 0, 2, 0],
      [1, 0, 1, 3, 0, 3, 0],
    ]
    expect(found(await read({ ...colors, 'x/semantic/a.png': grey(0, 1, 1, 2) }))).toEqual(expected)
    const rgb = writeRgbPng(4, 1, [0, 0xff0000, 0xff0000, 0x808080])
    expect(found(await read({ ...colors, 'x/semantic_rgb/a.png': rgb }))).toEqual(expected)
    expect(found(await read({ 'x/semantic_rgb/a.png': rgb }))).toEqual(expected)
  })

  test('numbers undeclared labels by name when none is an official class', async () => {
    const own = [labelOf({ id: 3, name: 'b' }), labelOf({ id: 4, name: 'a' })]
    const files = { 'x/semantic/a.png': grey(0, 1, 2, 2) }
    expect(found(await read(files, asMasks, targetOf(own, small)))).toEqual([
      [4, 0, 1, 1, 0, 1, 0],
      [3, 0, 2, 2, 0, 3, 0],
    ])
  })

  test('skips frames outside the job and reports other files', async () => {
    const files = {
      'x/label_2/a.txt': line,
      'x/velodyne/a.bin': 'points',
      'x/image_3/a.png': 'right eye',
    }
    const outside = { ...target, frames: { ...target.frames, includes: () => false } }
    const { shapes, report } = await read(files, {}, outside)
    expect(shapes).toEqual([])
    expect(report.entries).toMatchObject([
      { code: 'ignored-file', count: 2 },
      { code: 'frame-outside-job', count: 1 },
    ])
  })

  const nothing =
    'no KITTI annotations: expected <subset>/label_2/<image>.txt or <subset>/instance/<image>.png'
  const palette = writePalettePng(4, 1, new Uint8Array(4), [{ color: 0 }])
  test.each<[string, Record<string, string | Uint8Array>, string]>([
    ['another layout', { 'labels/a.txt': line }, nothing],
    [
      'a short line',
      { 'x/label_2/a.txt': `${line}\nCar 0 0` },
      'x/label_2/a.txt: 3 columns, expected 15 or 16 at line 2',
    ],
    [
      'a box of no numbers',
      { 'x/label_2/a.txt': line.replace('0 0 2 1', '0 NaN 2 1') },
      'x/label_2/a.txt: box: "NaN" is no number',
    ],
    [
      'a flag that is none',
      { 'x/label_2/a.txt': line.replace(' 2 -1.57', ' half -1.57') },
      'x/label_2/a.txt: occluded: "half" is no whole number',
    ],
    [
      'instances of 8 bits',
      { 'x/instance/a.png': palette },
      'x/instance/a.png: instances have to be grey of 16 bits',
    ],
    [
      'classes as a palette',
      { 'x/semantic/a.png': palette },
      'x/semantic/a.png: classes have to be grey',
    ],
    [
      'a class without a label',
      { ...colors, 'x/instance/a.png': grey(0, 0, 769, 769) },
      'x/instance/a.png: class 3 (2 pixels) is none of the 3 labels',
    ],
    [
      'a colour without a label',
      { ...colors, 'x/semantic_rgb/a.png': writeRgbPng(4, 1, [7, 0, 0, 0]) },
      'x/semantic_rgb/a.png: no label has the colour 0,0,7',
    ],
    [
      'another size than the frame',
      { ...colors, 'x/instance/a.png': grey(0, 0) },
      'mask of 2 x 1 pixels on a frame of 4 x 1',
    ],
    [
      'no picture',
      { 'x/instance/a.png': 'text' },
      'x/instance/a.png: the PNG picture cannot be read: it is none',
    ],
    [
      'a line of the colours',
      { 'label_colors.txt': '0 0 background' },
      'label_colors.txt: "0 0 background" is no label, expected r g b name at line 1',
    ],
    [
      'a label twice',
      { 'label_colors.txt': '0 0 0 a\n1 1 1 a' },
      "label_colors.txt: label 'a' is given twice at line 2",
    ],
    [
      'a label of nobody',
      { 'x/label_2/a.txt': line.replace('Car', 'Tram') },
      "Label 'Tram' is not registered for this task",
    ],
    [
      'an image of no frame',
      { 'x/label_2/z.txt': line },
      '1 annotated item has no matching frame in this task: z',
    ],
  ])('refuses %s', async (_, files, reason) => {
    const attempt = read(files)
    await expect(attempt).rejects.toThrow(FormatError)
    await expect(attempt).rejects.toThrow(reason)
  })

  test('into a project derives labels and the attribute "truncated" from the annotations', async () => {
    const files = {
      'x/label_2/a.txt': line.replace('0.00', '0.50'),
      'x/instance/a.png': grey(0, 27 * 256 + 1, 0, 0),
      'x/image_2/a.jpg': 'an image',
    }
    const dataset = await kitti.importer?.openDataset?.(
      sourceOf(await zipOf(files)),
      createRun().run,
    )
    expect(dataset?.labels).toMatchObject([
      { name: 'Car', attributes: [{ name: 'truncated', input_type: 'checkbox' }] },
      { name: 'truck' },
    ])
    const without = zipOf({ 'x/label_2/a.txt': line })
    await expect(
      without.then((bytes) => kitti.importer?.openDataset?.(sourceOf(bytes), createRun().run)),
    ).rejects.toThrow('media is required')
  })
})
