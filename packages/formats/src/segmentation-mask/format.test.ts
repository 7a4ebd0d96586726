import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { colorText } from '../colors.ts'
import { FormatError } from '../errors.ts'
import { segmentationMask } from '../formats/segmentation-mask.ts'
import { readPng, writeGrey16Png, writePalettePng, writeRgbPng } from '../image/png.ts'
import type { Dataset, ImportTarget, Item, Run } from '../model.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  membersOf,
  newRun,
  partOf,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
  zipOf,
} from '../testing/run.ts'

const labels = [
  labelOf({ id: 1, name: 'road', color: '#808080' }),
  labelOf({ id: 2, name: 'Car', color: '#ff0000' }),
]
const frames = framesOf(['a.jpg', 'b/ü.v2.jpg', 'c.jpg'], 6, 4)
const asMasks = { conv_mask_to_poly: false }
const { exporter } = segmentationMask

describe('what is exported', () => {
  const shapes = [
    shapeOf({ points: [0, 0, 4, 2] }),
    shapeOf({ type: 'polygon', points: [2, 0, 6, 0, 6, 4, 2, 4], label_id: 2, z_order: 1 }),
    shapeOf({ type: 'mask', points: [0, 2, 0, 3, 1, 3], frame: 1 }),
    shapeOf({ type: 'ellipse', points: [4, 1, 1, 1], label_id: 2, frame: 1 }),
    shapeOf({ type: 'polyline', points: [0, 0, 5, 3], frame: 2 }),
  ]

  test('pictures of frames with regions, a list of those and the empty ones, and the colours', async () => {
    const { bytes, files, report } = await exportBytes(
      exporter,
      datasetOf(labels, frames, { shapes }),
    )
    expect(Object.keys(files)).toEqual([
      'labelmap.txt',
      'SegmentationClass/a.png',
      'SegmentationObject/a.png',
      'SegmentationClass/b/ü.v2.png',
      'SegmentationObject/b/ü.v2.png',
      'ImageSets/Segmentation/default.txt',
    ])
    expect(files['labelmap.txt']).toBe(
      '# label:color_rgb:parts:actions\nCar:255,0,0::\nbackground:0,0,0::\nroad:128,128,128::\n',
    )
    expect(files['ImageSets/Segmentation/default.txt']).toBe('a\nb/ü.v2\n')
    const [grey, red, none] = ['128,128,128', '255,0,0', '0,0,0']
    const top = [grey, grey, red, red, red, red]
    const low = [none, none, red, red, red, red]
    expect(await colorsIn(bytes, 'SegmentationClass/a.png')).toEqual([top, top, low, low].flat())
    const objects = await colorsIn(bytes, 'SegmentationObject/a.png')
    expect([...new Set(objects)]).toEqual(['128,0,0', '0,128,0', '0,0,0'])
    expect(report).toMatchObject({ created: { shapes: 4 }, converted: 3, dropped: 1 })
  })

  test('an empty task is label map and list', async () => {
    const { files } = await exportBytes(exporter, datasetOf([], frames, {}, { name: 'a/b' }))
    expect(files).toEqual({
      'labelmap.txt': '# label:color_rgb:parts:actions\nbackground:0,0,0::\n',
      'ImageSets/Segmentation/a_b.txt': 'a\nb/ü.v2\nc\n',
    })
  })

  test('images under their own names, also where names repeat', async () => {
    const image = async function* () {
      yield Buffer.from('an image')
    }
    const named = (paths: string[]) => framesOf(paths, 6, 4).map((frame) => ({ ...frame, image }))
    const shape = shapeOf({ type: 'mask', points: [0, 2, 0, 3, 1, 3] })
    const dataset = subsets({
      Train: [
        named(['a.jpg', 'a.png']),
        [{ index: 1, shapes: [{ ...shape, frame: 1 }], tags: [] }],
      ],
      Val: [named(['a.jpg']), [{ index: 0, shapes: [shape], tags: [] }]],
    })
    const { bytes, files } = await exportBytes(exporter, dataset)
    expect(Object.keys(files).slice(1)).toEqual([
      'SegmentationClass/a.png.png',
      'SegmentationObject/a.png.png',
      'ImageSets/Segmentation/Train.txt',
      'SegmentationClass/Val/a.png',
      'SegmentationObject/Val/a.png',
      'ImageSets/Segmentation/Val.txt',
      'JPEGImages/a.jpg',
      'JPEGImages/a.png',
      'JPEGImages/Val/a.jpg',
    ])
    const read = await segmentationMask.importer?.openDataset?.(sourceOf(bytes), newRun().run)
    expect(read?.labels.map(({ name }) => name)).toEqual(['Car', 'road'])
    expect(read?.subsets.map(({ name, images }) => [name, images.map((one) => one.name)])).toEqual([
      ['Train', ['a.jpg', 'a.png']],
      ['Val', ['Val/a.jpg']],
    ])
    const target = targetOf(labels, named(['a.jpg', 'a.png']))
    const imported = await all(read?.subsets[0]?.importAnnotations(target, newRun().run))
    expect(imported).toMatchObject([{ shape: { frame: 1, type: 'polygon' } }])
  })

  test('frames of a video, on which tracks are shapes', async () => {
    const video = [0, 5, 10].map((number, frame) => ({
      ...{ frame, width: 6, height: 4 },
      path: `frame_${String(number).padStart(6, '0')}.PNG`,
    }))
    const track = trackOf([
      trackShapeOf({ points: [0, 0, 2, 2] }),
      trackShapeOf({ frame: 2, points: [4, 0, 6, 2] }),
    ])
    const { bytes, files } = await exportBytes(
      exporter,
      datasetOf(labels, video, { tracks: [track] }),
    )
    expect(files['ImageSets/Segmentation/default.txt']).toBe(
      'frame_000000\nframe_000005\nframe_000010\n',
    )
    const target = targetOf(labels, video)
    const whole = { ...target, frames: { ...target.frames, is_video: true, step: 5 } }
    const { shapes: read } = await importBytes(segmentationMask, bytes, whole, asMasks)
    expect(read.map(({ frame, points }) => [frame, points.slice(-4)])).toEqual([
      [0, [0, 0, 1, 1]],
      [1, [2, 0, 3, 1]],
      [2, [4, 0, 5, 1]],
    ])
  })

  test('more instances than the palette has colours stay apart', async () => {
    const wide = framesOf(['a.jpg'], 300, 1)
    const many = Array.from({ length: 300 }, (_, x) => shapeOf({ points: [x, 0, x + 1, 1] }))
    const { bytes } = await exportBytes(exporter, datasetOf(labels, wide, { shapes: many }))
    const again = await importBytes(segmentationMask, bytes, targetOf(labels, wide), asMasks)
    expect(again.shapes).toHaveLength(300)
  })

  test('labels of one colour are told of', async () => {
    const alike = [...labels, labelOf({ id: 3, name: 'bus', color: '#ff0000' })]
    const { report } = await exportBytes(exporter, datasetOf(alike, frames, {}))
    expect(report.entries).toMatchObject([
      { code: 'duplicate-entry', reason: expect.stringContaining("'Car' and 'bus'") },
    ])
  })

  test('is the same after each round, and groups stay together', async () => {
    const given = [
      ...shapes,
      shapeOf({ points: [0, 3, 1, 4], group: 3 }),
      shapeOf({ points: [5, 0, 6, 1], group: 3, z_order: 2 }),
    ]
    const sorted = given.toSorted((a, b) => a.frame - b.frame)
    const round = async (from: ReturnType<typeof shapeOf>[]) => {
      const { bytes } = await exportBytes(exporter, datasetOf(labels, frames, { shapes: from }))
      const read = await importBytes(segmentationMask, bytes, targetOf(labels, frames), asMasks)
      return { members: await membersOf(bytes), shapes: read.shapes }
    }
    const first = await round(sorted)
    const second = await round(first.shapes)
    const third = await round(second.shapes)
    expect((await round(sorted)).members).toEqual(first.members)
    expect(third.members).toEqual(second.members)
    expect(third.shapes).toEqual(second.shapes)
    // The group of both corners is one mask.
    expect(first.shapes.filter(({ frame }) => frame === 0)).toHaveLength(3)
  })
})

describe('what is imported', () => {
  const red = [0xff0000, 0xff0000]
  const row = (...colors: number[]) => writeRgbPng(colors.length, 1, colors)
  const map = 'background:0,0,0::\nCar:255,0,0::\nroad:128,128,128::\n'
  const small = framesOf(['a.jpg'], 4, 1)
  const target = targetOf(labels, small)
  const read = async (
    files: Record<string, string | Uint8Array>,
    to: ImportTarget = target,
    given: Pick<Run, 'conv_mask_to_poly'> = asMasks,
  ) => {
    const result = await importBytes(segmentationMask, await zipOf(files), to, given)
    return { ...result, found: result.shapes.map(({ label_id, points }) => [label_id, ...points]) }
  }
  const list = { 'ImageSets/Segmentation/train.txt': 'a\n' }

  test('several polygons of one object share a group', async () => {
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

  test('a hole is no shape of its own', async () => {
    const ring = [...red, ...red, 0xff0000, 0, 0, 0xff0000, ...red, ...red]
    const files = { 'labelmap.txt': map, 'SegmentationClass/a.png': writeRgbPng(4, 3, ring) }
    const { shapes } = await read(files, targetOf(labels, framesOf(['a.jpg'], 4, 3)), {})
    expect(shapes).toHaveLength(1)
  })

  test('objects of any colour, each on its class, in a folder around all', async () => {
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

  test('pictures without lists, in the folder of another tool, as palette and as indexes', async () => {
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

  test('without a label map the colours are those of the task, then those of VOC', async () => {
    const bicycle = labelOf({ id: 3, name: 'bicycle', color: '#000000' })
    const files = { 'SegmentationClass/a.png': row(0x008000, 0xff0000, 0, 0) }
    const { found } = await read(files, targetOf([...labels, bicycle], small))
    expect(found).toEqual([
      [3, 0, 1, 0, 0, 0, 0],
      [2, 0, 1, 1, 0, 1, 0],
    ])
  })

  test('the background only where the task has such a label', async () => {
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

  test('an image of several lists once, and pictures of none are told of', async () => {
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

  test('frames outside of the job are passed over', async () => {
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
  ])('%s is refused', async (_, files, reason) => {
    const attempt = read(files as Record<string, Uint8Array>)
    await expect(attempt).rejects.toThrow(FormatError)
    await expect(attempt).rejects.toThrow(reason)
  })
})

describe('with its images', () => {
  const image = Buffer.from('an image')
  const bicycle = writeRgbPng(1, 1, [0x008000])
  const open = async (files: Record<string, string | Uint8Array>) =>
    segmentationMask.importer?.openDataset?.(sourceOf(await zipOf(files)), newRun().run)

  test('labels are those of the colours that occur where none are declared', async () => {
    const dataset = await open({ 'SegmentationClass/a.png': bicycle, 'JPEGImages/a.jpg': image })
    expect(dataset?.labels).toEqual([{ name: 'bicycle', attributes: [] }])
    expect(dataset?.subsets).toMatchObject([
      { name: 'default', images: [{ name: 'a.jpg', member: 'JPEGImages/a.jpg' }] },
    ])
  })

  test('an annotated image that is missing is named', async () => {
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

async function all<T>(stream: AsyncIterable<T> | undefined): Promise<T[]> {
  const found: T[] = []
  for await (const one of stream ?? []) found.push(one)
  return found
}

function subsets(given: Record<string, [ReturnType<typeof framesOf>, Item[]]>): Dataset {
  const all = Object.entries(given).map(([name, [own, items]]) => ({
    name,
    frames: own,
    items: async function* () {
      yield* items
    },
    parts: [partOf(own, {})],
  }))
  return { ...datasetOf(labels, [], {}), subsets: all, saveImages: true }
}

/** Of each pixel, `r,g,b`. */
async function colorsIn(archive: Uint8Array, name: string): Promise<string[]> {
  const member = (await membersOf(archive))[name] ?? Buffer.alloc(0)
  const { samples, width, height } = await readPng(member, { file: name })
  return Array.from({ length: width * height }, (_, at) => {
    const [red = 0, green = 0, blue = 0] = samples.slice(3 * at, 3 * at + 3)
    return colorText((red << 16) | (green << 8) | blue)
  })
}
