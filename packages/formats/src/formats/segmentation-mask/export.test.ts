import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { colorText } from '../../image/colors.ts'
import { readPng } from '../../image/png.ts'
import type { Dataset, DatasetItem } from '../../model/dataset.ts'
import { asMasks, frames, labels } from '../../testing/masks.ts'
import {
  collectAll,
  createRun,
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  membersOf,
  partOf,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
} from '../../testing/run.ts'
import { segmentationMask } from '../segmentation-mask.ts'

const { exporter } = segmentationMask

describe('a Segmentation mask export', () => {
  const shapes = [
    shapeOf({ points: [0, 0, 4, 2] }),
    shapeOf({ type: 'polygon', points: [2, 0, 6, 0, 6, 4, 2, 4], label_id: 2, z_order: 1 }),
    shapeOf({ type: 'mask', points: [0, 2, 0, 3, 1, 3], frame: 1 }),
    shapeOf({ type: 'ellipse', points: [4, 1, 1, 1], label_id: 2, frame: 1 }),
    shapeOf({ type: 'polyline', points: [0, 0, 5, 3], frame: 2 }),
  ]

  test('writes masks of frames with regions, lists of these frames, and the label colours', async () => {
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

  test('leaves images that only have a tag out of the list', async () => {
    const tags = [{ frame: 1, label_id: 1, group: 0, source: 'file', attributes: [] }]
    const { files } = await exportBytes(exporter, datasetOf(labels, frames, { tags }))
    expect(files['ImageSets/Segmentation/default.txt']).toBe('a\nc\n')
  })

  test('writes a label map and a list for an empty task', async () => {
    const { files } = await exportBytes(exporter, datasetOf([], frames, {}, { name: 'a/b' }))
    expect(files).toEqual({
      'labelmap.txt': '# label:color_rgb:parts:actions\nbackground:0,0,0::\n',
      'ImageSets/Segmentation/a_b.txt': 'a\nb/ü.v2\nc\n',
    })
  })

  test('writes images under their own names, also when names repeat', async () => {
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
    const read = await segmentationMask.importer?.openDataset?.(sourceOf(bytes), createRun().run)
    expect(read?.labels.map(({ name }) => name)).toEqual(['Car', 'road'])
    expect(read?.subsets.map(({ name, images }) => [name, images.map((one) => one.name)])).toEqual([
      ['Train', ['a.jpg', 'a.png']],
      ['Val', ['Val/a.jpg']],
    ])
    const target = targetOf(labels, named(['a.jpg', 'a.png']))
    const imported = await collectAll(read?.subsets[0]?.importAnnotations(target, createRun().run))
    expect(imported).toMatchObject([{ shape: { frame: 1, type: 'polygon' } }])
  })

  test('writes frames of a video with their tracks as shapes', async () => {
    const video = [0, 5, 10].map((number, frame) => ({
      frame,
      width: 6,
      height: 4,
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

  test('separates more instances than the palette has colours', async () => {
    const wide = framesOf(['a.jpg'], 300, 1)
    const many = Array.from({ length: 300 }, (_, x) => shapeOf({ points: [x, 0, x + 1, 1] }))
    const { bytes } = await exportBytes(exporter, datasetOf(labels, wide, { shapes: many }))
    const again = await importBytes(segmentationMask, bytes, targetOf(labels, wide), asMasks)
    expect(again.shapes).toHaveLength(300)
  })

  test('reports labels with equal colours', async () => {
    const alike = [...labels, labelOf({ id: 3, name: 'bus', color: '#ff0000' })]
    const { report } = await exportBytes(exporter, datasetOf(alike, frames, {}))
    expect(report.entries).toMatchObject([
      { code: 'duplicate-entry', reason: expect.stringContaining("'Car' and 'bus'") },
    ])
  })

  test('is stable over repeated exports and imports, and keeps groups', async () => {
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
    // The group at both corners is one mask.
    expect(first.shapes.filter(({ frame }) => frame === 0)).toHaveLength(3)
  })
})

function subsets(given: Record<string, [ReturnType<typeof framesOf>, DatasetItem[]]>): Dataset {
  const subsets = Object.entries(given).map(([name, [own, items]]) => ({
    name,
    frames: own,
    items: async function* () {
      yield* items
    },
    parts: [partOf(own, {})],
  }))
  return { ...datasetOf(labels, [], {}), subsets, saveImages: true }
}

/** Returns the colour of each pixel as `r,g,b`. */
async function colorsIn(archive: Uint8Array, name: string): Promise<string[]> {
  const member = (await membersOf(archive))[name] ?? Buffer.alloc(0)
  const { samples, width, height } = await readPng(member, { file: name })
  return Array.from({ length: width * height }, (_, at) => {
    const [red = 0, green = 0, blue = 0] = samples.slice(3 * at, 3 * at + 3)
    return colorText((red << 16) | (green << 8) | blue)
  })
}
