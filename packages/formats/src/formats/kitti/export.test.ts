import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { readPng } from '../../image/png.ts'
import type { Dataset, DatasetItem, ItemFrame } from '../../model/dataset.ts'
import { asMasks, frames, labels, yes } from '../../testing/kitti.ts'
import {
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
import { kitti } from '../kitti.ts'

const { exporter } = kitti

describe('a KITTI export', () => {
  const box = shapeOf({ label_id: 2, points: [0, 0.255, 4.126, 2] })
  const polygon = shapeOf({ type: 'polygon', points: [2, 0, 6, 0, 6, 4, 2, 4], z_order: 1 })
  const mask = shapeOf({ type: 'mask', label_id: 2, points: [0, 2, 0, 0, 1, 0], frame: 1 })

  test('writes boxes as lines, masks as 16-bit images, and colours in class order', async () => {
    const truncated = { ...box, occluded: true, score: 0.5, attributes: [yes(1)] }
    const shapes = [box, truncated, polygon, mask, { ...mask, points: [0, 2, 3, 0, 4, 0] }]
    const crowd = { ...mask, points: [0, 2, 0, 2, 1, 2], attributes: [yes(2)] }
    const { bytes, files, report } = await exportBytes(
      exporter,
      datasetOf(labels, frames, { shapes: [...shapes, crowd] }),
    )
    expect(Object.keys(files)).toEqual([
      'label_colors.txt',
      'default/label_2/a.txt',
      'default/instance/a.png',
      'default/semantic/a.png',
      'default/semantic_rgb/a.png',
      'default/instance/b/ü.v2.png',
      'default/semantic/b/ü.v2.png',
      'default/semantic_rgb/b/ü.v2.png',
    ])
    expect(files['label_colors.txt']).toBe('0 0 0 background\n255 0 0 Car\n128 128 128 road\n')
    const rest = '-1 -1 -1 -1 -1 -1 -1'
    expect(files['default/label_2/a.txt']).toBe(
      `Car 0.0 0 -1 0.0 0.26 4.13 2.0 ${rest} 1.0\nCar 1.0 1 -1 0.0 0.26 4.13 2.0 ${rest} 0.5\n`,
    )
    expect(await samplesIn(bytes, 'default/instance/a.png')).toEqual(
      rows(4, [0, 0, 513, 513, 513, 513]),
    )
    expect(await samplesIn(bytes, 'default/semantic/a.png')).toEqual(rows(4, [0, 0, 2, 2, 2, 2]))
    const none = rows(1, [0, 0, 0, 0, 0, 0])
    expect(await samplesIn(bytes, 'default/instance/b/ü.v2.png')).toEqual([
      257,
      257,
      0,
      258,
      258,
      0,
      ...none,
      256,
      256,
      0,
      0,
      0,
      0,
      ...none,
    ])
    const colors = await samplesIn(bytes, 'default/semantic_rgb/b/ü.v2.png')
    expect(colors.slice(0, 9)).toEqual([255, 0, 0, 255, 0, 0, 0, 0, 0])
    expect(report).toMatchObject({ created: { shapes: 6 }, converted: 3, dropped: 0 })
  })

  test('writes a box that is rotated by 360 degrees', async () => {
    const shapes = [shapeOf({ rotation: 360, points: [0, 0, 2, 2] })]
    const { files } = await exportBytes(exporter, datasetOf(labels, frames, { shapes }))
    expect(Object.keys(files)).toEqual(['label_colors.txt', 'default/label_2/a.txt'])
  })

  test('writes the value of a numeric attribute named truncated', async () => {
    const share = { id: 5, name: 'truncated', mutable: false, input_type: 'number' as const }
    const attributes = [{ ...share, values: ['0', '1', '0.01'], default_value: '0' }]
    const tram = labelOf({ id: 7, name: 'Tram', attributes })
    const shape = { ...box, label_id: 7, attributes: [{ spec_id: 5, value: '0.25' }] }
    const { files } = await exportBytes(exporter, datasetOf([tram], frames, { shapes: [shape] }))
    expect(files['default/label_2/a.txt']).toMatch(/^Tram 0\.25 0 -1 /)
  })

  test('writes only the colours for an empty task', async () => {
    const { bytes, files } = await exportBytes(exporter, datasetOf([], frames, {}))
    expect(files).toEqual({ 'label_colors.txt': '0 0 0 background\n' })
    expect((await importBytes(kitti, bytes, targetOf([], frames))).imported).toEqual([])
  })

  test('reports annotations that boxes and masks cannot represent', async () => {
    const shapes = [
      { ...box, group: 1, z_order: 2, attributes: [yes(3)] },
      { ...mask, frame: 0, occluded: true, score: 0.5, attributes: [yes(3)] },
      shapeOf({ rotation: 45, points: [1, 1, 4, 3] }),
      shapeOf({ type: 'points', points: [1, 1] }),
    ]
    const { report } = await exportBytes(exporter, datasetOf(labels, frames, { shapes }))
    expect(report.entries.map(({ reason }) => reason)).toEqual([
      'KITTI 1.0 has no points',
      'boxes of KITTI 1.0 have no attributes but truncated',
      'boxes of KITTI 1.0 have no groups',
      'boxes of KITTI 1.0 have no z order',
      'coordinates are written with two decimals',
      'masks of KITTI 1.0 have no attributes but is_crowd',
      'masks of KITTI 1.0 have no occlusion',
      'masks of KITTI 1.0 have no scores',
      'rectangles are written as masks',
    ])
  })

  test('replaces blanks in label names, and the import finds these labels', async () => {
    const own = [labelOf({ id: 5, name: 'big car' })]
    const shapes = [
      shapeOf({ label_id: 5, points: [0, 0, 2, 2] }),
      shapeOf({ ...mask, label_id: 5 }),
    ]
    const { bytes, files, report } = await exportBytes(exporter, datasetOf(own, frames, { shapes }))
    expect(files['label_colors.txt']).toContain(' big_car\n')
    expect(report.entries).toMatchObject([
      { kind: 'converted', reason: "label 'big car' is written as 'big_car'" },
    ])
    const read = await importBytes(kitti, bytes, targetOf(own, frames), asMasks)
    expect(read.shapes.map(({ type, label_id }) => [type, label_id])).toEqual([
      ['rectangle', 5],
      ['mask', 5],
    ])
  })

  test('merges objects of a label beyond the number 255', async () => {
    const wide = framesOf(['a.jpg'], 300, 1)
    const points = (x: number) => [0, 1, x, 0, x, 0]
    const shapes = Array.from({ length: 300 }, (_, x) =>
      shapeOf({ type: 'mask', points: points(x) }),
    )
    const { bytes, report } = await exportBytes(exporter, datasetOf(labels, wide, { shapes }))
    expect(report.entries).toMatchObject([{ code: 'merged-group', count: 45 }])
    const read = await importBytes(kitti, bytes, targetOf(labels, wide), asMasks)
    expect(read.shapes).toHaveLength(255)
  })

  test('refuses more labels than a byte can number', async () => {
    const many = Array.from({ length: 256 }, (_, id) => labelOf({ id, name: `label ${id}` }))
    await expect(exportBytes(exporter, datasetOf(many, frames, {}))).rejects.toThrow(
      '257 labels with the background, KITTI has room for 256',
    )
  })

  test('writes a folder with images for each subset', async () => {
    const image = async function* () {
      yield Buffer.from('an image')
    }
    const own = framesOf(['a.jpg'], 6, 4).map((frame) => ({ ...frame, image }))
    const item: DatasetItem = { index: 0, shapes: [box], tags: [] }
    const { bytes, files } = await exportBytes(exporter, {
      ...datasetOf(labels, [], {}),
      subsets: [subsetOf('Train', own, [item]), subsetOf('Val', own, [])],
      saveImages: true,
    })
    expect(Object.keys(files)).toEqual([
      'label_colors.txt',
      'Train/label_2/a.txt',
      'Train/image_2/a.jpg',
      'Val/image_2/a.jpg',
    ])
    const read = await kitti.importer?.openDataset?.(sourceOf(bytes), createRun().run)
    expect(read?.labels.map(({ name }) => name)).toEqual(['Car', 'road'])
    expect(read?.subsets).toMatchObject([
      { name: 'Train', images: [{ name: 'a.jpg', member: 'Train/image_2/a.jpg' }] },
      { name: 'Val', images: [{ name: 'a.jpg', member: 'Val/image_2/a.jpg' }] },
    ])
  })

  test('writes frames of a video with their tracks as shapes', async () => {
    const video = [10, 15, 20].map((number, frame) => ({
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
    expect(Object.keys(files).slice(1)).toEqual(
      ['10', '15', '20'].map((number) => `default/label_2/frame_0000${number}.txt`),
    )
    const target = targetOf(labels, video)
    const whole = { ...target.frames, is_video: true, start_frame: 10, step: 5 }
    const { shapes } = await importBytes(kitti, bytes, { ...target, frames: whole })
    expect(shapes.map(({ frame, points }) => [frame, points])).toEqual([
      [0, [0, 0, 2, 2]],
      [1, [2, 0, 4, 2]],
      [2, [4, 0, 6, 2]],
    ])
  })

  test('is stable over repeated exports and imports', async () => {
    const given = [
      { ...box, occluded: true, attributes: [yes(1)] },
      polygon,
      mask,
      { ...mask, points: [0, 1, 5, 3, 5, 3] },
    ]
    const round = async (shapes: readonly ReturnType<typeof shapeOf>[]) => {
      const { bytes } = await exportBytes(exporter, datasetOf(labels, frames, { shapes }))
      const read = await importBytes(kitti, bytes, targetOf(labels, frames), asMasks)
      return { members: await membersOf(bytes), shapes: read.shapes }
    }
    const first = await round(given)
    const second = await round(first.shapes)
    const third = await round(second.shapes)
    expect((await round(given)).members).toEqual(first.members)
    expect(third.members).toEqual(second.members)
    expect(third.shapes).toEqual(first.shapes)
    expect(first.shapes[0]).toMatchObject({
      points: [0, 0.26, 4.13, 2],
      occluded: true,
      attributes: [yes(1)],
    })
  })
})

function subsetOf(
  name: string,
  own: readonly ItemFrame[],
  items: readonly DatasetItem[],
): Dataset['subsets'][number] {
  const read = async function* () {
    yield* items
  }
  return { name, frames: own, items: read, parts: [partOf(own, {})] }
}

async function samplesIn(archive: Uint8Array, name: string): Promise<number[]> {
  const member = (await membersOf(archive))[name] ?? Buffer.alloc(0)
  return [...(await readPng(member, { file: name })).samples]
}

const rows = (count: number, row: number[]): number[] =>
  Array.from({ length: count }, () => row).flat()
