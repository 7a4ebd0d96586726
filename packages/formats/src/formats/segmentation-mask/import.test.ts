import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { writeGrey16Png, writePalettePng, writeRgbPng } from '../../image/png.ts'
import type { ConversionRun, ImportTarget } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { asMasks, labels } from '../../testing/masks.ts'
import { createRun, framesOf, importBytes, labelOf, targetOf, zipOf } from '../../testing/run.ts'
import { segmentationMask } from '../segmentation-mask.ts'

describe('a Segmentation mask import', () => {
  const red = [0xff0000, 0xff0000]
  const row = (...colors: number[]) => writeRgbPng(colors.length, 1, colors)
  const map = 'background:0,0,0::\nCar:255,0,0::\nroad:128,128,128::\n'
  const small = framesOf(['a.jpg'], 4, 1)
  const target = targetOf(labels, small)
  const read = async (
    files: Record<string, string | Uint8Array>,
    to: ImportTarget = target,
    given: Pick<ConversionRun, 'conv_mask_to_poly'> = asMasks,
  ) => {
    const result = await importBytes(segmentationMask, await zipOf(files), to, given)
    return { ...result, found: result.shapes.map(({ label_id, points }) => [label_id, ...points]) }
  }
  const list = { 'ImageSets/Segmentation/train.txt': 'a\n' }

  test('reads an export without masks and reports that it has none', async () => {
    const { found, report } = await read({ 'labelmap.txt': map, ...list })
    expect([found, report.entries.map(({ reason }) => reason)]).toEqual([
      [],
      ['no listed picture has masks in the archive'],
    ])
  })

  test('groups the polygons of one object', async () => {
    const files = {
      'labelmap.txt': map,
      ...list,
      'SegmentationClass/a.png': row(0xff0000, 0, ...red),
    }
    const { shapes, report } = await read(files, target, {})
    expect(shapes).toMatchObject([
      { type: 'polygon', label_id: 2, group: 1, points: [0, 0, 1, 0, 1, 1, 0, 1], source: 'file' },
      { type: 'polygon', label_id: 2, group: 1 },
    ])
    expect(report.converted).toBe(1)
  })

  test('reads a region with a hole as one polygon', async () => {
    const ring = [...red, ...red, 0xff0000, 0, 0, 0xff0000, ...red, ...red]
    const files = { 'labelmap.txt': map, 'SegmentationClass/a.png': writeRgbPng(4, 3, ring) }
    const { shapes } = await read(files, targetOf(labels, framesOf(['a.jpg'], 4, 3)), {})
    expect(shapes).toHaveLength(1)
  })

  test('reads objects of any colour, each for its class, inside a wrapping folder', async () => {
    const files = {
      'wrapped/labelmap.txt': map,
      'wrapped/ImageSets/Segmentation/train.txt': '\uFEFF# images\r\n\r\n"a"\r\n',
      'wrapped/SegmentationClass/a.png': row(...red, 0xff0000, 0x808080),
      'wrapped/SegmentationObject/a.png': row(0x123456, 0x010203, 0, 0x010203),
    }
    expect((await read(files)).found).toEqual([
      [2, 0, 1, 0, 0, 0, 0],
      [2, 0, 1, 1, 0, 1, 0],
      [1, 0, 1, 3, 0, 3, 0],
    ])
  })

  test('reads images without lists from SegmentationClassPNG, by colour and by index', async () => {
    const palette = [{ color: 0 }, { color: 0x808080 }, { color: 0xe0e0c0 }]
    const files = {
      'labelmap.txt': map,
      'SegmentationClassPNG/a.png': writePalettePng(4, 1, Uint8Array.of(2, 1, 1, 0), palette),
    }
    expect((await read(files)).found).toEqual([[1, 0, 2, 1, 0, 2, 0]])
    const grey = writeGrey16Png(4, 1, Uint16Array.of(0, 2, 2, 255))
    expect((await read({ ...files, 'SegmentationClassPNG/a.png': grey })).found).toEqual([
      [1, 0, 2, 1, 0, 2, 0],
    ])
  })

  test('without a label map uses the colours of the task, then those of VOC', async () => {
    const bicycle = labelOf({ id: 3, name: 'bicycle', color: '#000000' })
    const files = { 'SegmentationClass/a.png': row(0x008000, 0xff0000, 0, 0) }
    const { found } = await read(files, targetOf([...labels, bicycle], small))
    expect(found).toEqual([
      [3, 0, 1, 0, 0, 0, 0],
      [2, 0, 1, 1, 0, 1, 0],
    ])
  })

  test('without a label map reads black as background although a label is black', async () => {
    const night = labelOf({ id: 3, name: 'night', color: '#000000' })
    const files = { 'SegmentationClass/a.png': row(0, 0xff0000, 0, 0) }
    const { found } = await read(files, targetOf([...labels, night], small))
    expect(found).toEqual([[2, 0, 1, 1, 0, 1, 0]])
  })

  test('reads the background only when the task has a label for it', async () => {
    const files = {
      'labelmap.txt': map,
      'SegmentationClass/a.png': row(0, 0, ...red),
      'SegmentationObject/a.png': row(0, 9, 8, 8),
    }
    expect((await read(files)).found).toEqual([[2, 0, 2, 2, 0, 3, 0]])
    const background = labelOf({ id: 9, name: 'background' })
    expect((await read(files, targetOf([...labels, background], small))).found).toEqual([
      [9, 0, 1, 1, 0, 1, 0],
      [2, 0, 2, 2, 0, 3, 0],
    ])
  })

  test('reads an image of several lists once, and reports masks that no list contains', async () => {
    const files = {
      'labelmap.txt': map,
      ...list,
      'ImageSets/Segmentation/trainval.txt': 'a\nb\n',
      'SegmentationClass/a.png': row(...red, 0, 0),
      'SegmentationClass/x.png': row(0, 0, 0, 0),
    }
    const { found, report } = await read(files)
    expect(found).toHaveLength(1)
    expect(report.entries).toMatchObject([
      { code: 'ignored-file', examples: [{ file: 'SegmentationClass/x.png' }] },
    ])
  })

  test('skips frames outside the job', async () => {
    const files = { 'labelmap.txt': map, ...list, 'SegmentationClass/a.png': row(...red, 0, 0) }
    const outside = { ...target, frames: { ...target.frames, includes: () => false } }
    const { found, report } = await read(files, outside)
    expect(found).toEqual([])
    expect(report.entries).toMatchObject([{ code: 'frame-outside-job', count: 1 }])
  })

  const good = row(...red, 0, 0)
  test.each([
    [
      'another layout',
      { 'masks/a.png': good },
      'no segmentation masks: expected ImageSets/Segmentation/<subset>.txt or SegmentationClass/<image>.png',
    ],
    [
      'a colour without a label',
      { 'labelmap.txt': map, 'SegmentationClass/a.png': row(7, 7, 0, 0) },
      'SegmentationClass/a.png: no label has the colour 0,0,7 (2 pixels)',
    ],
    [
      'another size than the frame',
      { 'labelmap.txt': map, 'SegmentationClass/a.png': row(0) },
      'SegmentationClass/a.png: mask of 1 x 1 pixels on a frame of 4 x 1',
    ],
    [
      'objects of another size',
      { 'labelmap.txt': map, 'SegmentationClass/a.png': good, 'SegmentationObject/a.png': row(0) },
      'SegmentationObject/a.png: mask of 1 x 1',
    ],
    [
      'objects alone',
      { 'SegmentationObject/a.png': good, ...list },
      'SegmentationObject/a.png: there is no picture of classes beside it',
    ],
    [
      'no picture',
      { 'SegmentationClass/a.png': Buffer.from('<svg/>') },
      'SegmentationClass/a.png: the PNG picture cannot be read: it is none',
    ],
    [
      'half a picture',
      { 'SegmentationClass/a.png': good.subarray(0, 50) },
      'SegmentationClass/a.png: the PNG picture cannot be read: it is cut off',
    ],
    [
      'a line of the label map',
      { 'labelmap.txt': 'Car:255,0,0\n', 'SegmentationClass/a.png': good },
      'labelmap.txt: "Car:255,0,0" is no label',
    ],
    [
      'a label of nobody',
      { 'labelmap.txt': 'bus:255,0,0::', 'SegmentationClass/a.png': good },
      "Label 'bus' is not registered for this task",
    ],
    [
      'an image of no frame',
      { 'labelmap.txt': map, 'SegmentationClass/z.png': good },
      '1 annotated item has no matching frame in this task: z',
    ],
  ])('refuses %s', async (_, files, reason) => {
    const attempt = read(files as Record<string, Uint8Array>)
    await expect(attempt).rejects.toThrow(FormatError)
    await expect(attempt).rejects.toThrow(reason)
  })
})

describe('a Segmentation mask import into a project', () => {
  const image = Buffer.from('an image')
  const bicycle = writeRgbPng(1, 1, [0x008000])
  const open = async (files: Record<string, string | Uint8Array>) =>
    segmentationMask.importer?.openDataset?.(sourceOf(await zipOf(files)), createRun().run)

  test('derives labels from the colours that occur when none are declared', async () => {
    const dataset = await open({ 'SegmentationClass/a.png': bicycle, 'JPEGImages/a.jpg': image })
    expect(dataset?.labels).toMatchObject([{ name: 'bicycle', attributes: [] }])
    expect(dataset?.subsets).toMatchObject([
      { name: 'default', images: [{ name: 'a.jpg', member: 'JPEGImages/a.jpg' }] },
    ])
  })

  test('takes the labels of the map without background and borders', async () => {
    const dataset = await open({
      'labelmap.txt': 'background:0,0,0::\nignored:224,224,192::\ncar:0,128,0::\n',
      'SegmentationClass/a.png': bicycle,
      'JPEGImages/a.jpg': image,
    })
    expect(dataset?.labels.map(({ name }) => name)).toEqual(['car'])
  })

  test('puts an image of several lists into the shortest one', async () => {
    const dataset = await open({
      'ImageSets/Segmentation/all.txt': 'a\nb\n',
      'ImageSets/Segmentation/train.txt': 'a\n',
      'ImageSets/Segmentation/val.txt': 'b\n',
      'SegmentationClass/a.png': bicycle,
      'JPEGImages/a.jpg': image,
      'JPEGImages/b.jpg': image,
    })
    expect(dataset?.subsets.map(({ name, images }) => [name, images.length])).toEqual([
      ['train', 1],
      ['val', 1],
    ])
  })

  test('names an annotated image that is missing', async () => {
    const files = {
      'SegmentationClass/a.png': bicycle,
      'SegmentationClass/b.png': bicycle,
      'JPEGImages/a.jpg': image,
    }
    await expect(open(files)).rejects.toThrow(
      '1 images that have annotations are not in the archive: b',
    )
    await expect(open({ 'SegmentationClass/a.png': bicycle })).rejects.toThrow('media is required')
  })
})
