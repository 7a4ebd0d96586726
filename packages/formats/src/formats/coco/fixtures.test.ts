import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { DatasetLabel, DatasetTrack } from '../../model/dataset.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  shapeOf,
  targetOf,
  textsOf,
} from '../../testing/run.ts'
import { coco } from '../coco.ts'

const fixtures = new URL('../../../../../../shared/fixtures/', import.meta.url)
const hasFixtures = existsSync(fixtures)
const read = (path: string): Buffer => readFileSync(new URL(path, fixtures))

describe.skipIf(!hasFixtures)('COCO files of other tools in ../shared/fixtures', () => {
  const attributes = ['x', 'y'].map((name, id) => ({
    id,
    name,
    mutable: false,
    input_type: name === 'x' ? 'number' : 'text',
    values: [],
    default_value: '',
  }))
  const labels = ['a', 'b', 'c'].map((name, id) => labelOf({ id, name, attributes }))
  const frames = [
    { frame: 0, path: 'a.jpg', width: 10, height: 5 },
    { frame: 1, path: 'b.jpg', width: 5, height: 10 },
  ]
  const val = [
    {
      type: 'polygon',
      frame: 1,
      label_id: 0,
      points: [0, 0, 1, 0, 1, 2, 0, 2],
      attributes: [
        { spec_id: 0, value: '1' },
        { spec_id: 1, value: 'hello' },
      ],
    },
    { type: 'mask', frame: 1, label_id: 1, points: [0, 20, 0, 0, 1, 9] },
  ]
  const train = [{ type: 'rectangle', frame: 0, label_id: 1, points: [2, 2, 5, 3] }]

  test('an archive with files of all COCO tasks is imported from its instances', async () => {
    const bytes = read('formats/coco/dm_all_tasks.zip')
    const { shapes, report } = await importBytes(coco, bytes, targetOf(labels, frames))
    expect(shapes).toMatchObject([...train, ...val])
    expect(report.skipped).toBe(12)
    expect(report.entries).toMatchObject([{ code: 'ignored-file', count: 12 }])
  })

  test('a bare document is imported with the same shapes', async () => {
    const bytes = read('formats/coco/instances_val_bare.json')
    const { shapes } = await importBytes(coco, bytes, targetOf(labels, frames))
    expect(shapes).toMatchObject(val)
  })

  test('annotations next to the images are imported with the same shapes', async () => {
    const bytes = read('formats/coco/dm_roboflow_layout.zip')
    const { shapes } = await importBytes(coco, bytes, targetOf(labels, frames))
    expect(shapes).toMatchObject([...train, ...val])
  })

  test('an archive edited by hand is imported with its 29 polygons', async () => {
    const bytes = read('formats/coco/cvat_export_car_interior_ann_only.zip')
    const texts = await textsOf(bytes)
    const document = JSON.parse(texts['annotations/instances_default.json'] ?? '')
    const names: string[] = document.categories.map(({ name }: { name: string }) => name)
    const images: { file_name: string; width: number; height: number }[] = document.images
    const target = targetOf(
      names.map((name, id) => labelOf({ id, name })),
      images.map((image, frame) => ({ ...image, frame, path: image.file_name })),
    )
    const { shapes } = await importBytes(coco, bytes, target)
    expect([names.length, images.length, shapes.length]).toEqual([23, 6, 29])
    expect(shapes.every(({ type, group }) => type === 'polygon' && group === 0)).toBe(true)
    expect(shapes[0]?.points).toHaveLength(2 * 633)
  })
})

describe.skipIf(!hasFixtures)('exports of the de-facto standard in ../shared/fixtures', () => {
  const facts = hasFixtures ? JSON.parse(read('exports/facts.json').toString()) : {}
  const labels: DatasetLabel[] = (facts.labels ?? []).toSorted(
    (a: DatasetLabel, b: DatasetLabel) => a.id - b.id,
  )

  test('an export of tracks equals the CVAT export in boxes, polygons and attributes', async () => {
    const { size, annotations } = facts.tasks['Batch 2: tracks']
    const frames = framesOf(streetNames(size), 320, 240).filter(({ frame }) => frame !== 17)
    const shapes = annotations.shapes.map(shapeOf)
    const tracks: DatasetTrack[] = annotations.tracks.map(withKeyframes)
    const dataset = datasetOf(labels, frames, { shapes, tracks }, { name: 'Validation' })
    const { files } = await exportBytes(coco.exporter, dataset)
    const ours = JSON.parse(files['annotations/instances_Validation.json'] ?? '')
    const theirs = await theirDocument('coco_1.0.tracks.zip', 'Validation')
    expect(ours.images).toEqual(theirs.images)
    expect(ours.annotations.map(rounded)).toEqual(theirs.annotations.map(rounded))
  })

  test('an export of shapes equals the CVAT export, except for skeletons and ellipses', async () => {
    const { size, annotations } = facts.tasks['Batch 1: shapes']
    const frames = framesOf(streetNames(size), 320, 240)
    const shapes = annotations.shapes
      .map(shapeOf)
      .map(ellipseOfOurs)
      .toSorted((a: { frame: number }, b: { frame: number }) => a.frame - b.frame)
    const { files, report } = await exportBytes(
      coco.exporter,
      datasetOf(labels, frames, { shapes }, { name: 'Train' }),
    )
    const ours = JSON.parse(files['annotations/instances_Train.json'] ?? '')
    const theirs = await theirDocument('coco_1.0.shapes.zip', 'Train')
    expect(ours.annotations).toHaveLength(theirs.annotations.length)
    for (const [index, one] of theirs.annotations.entries()) {
      const own = ours.annotations[index]
      expect([own.image_id, own.iscrowd, own.bbox]).toEqual([one.image_id, one.iscrowd, one.bbox])
      expect(own.area / one.area).toBeCloseTo(1, 1)
      const { rotation: _, ...attributes } = one.attributes
      expect(own.attributes).toMatchObject(attributes)
    }
    expect(report.dropped).toBeGreaterThan(0)
  })

  test('a CVAT export is imported with its tracks', async () => {
    const tracks = facts.tasks['Batch 2: tracks']
    const frames = framesOf(streetNames(tracks.size), 320, 240)
    const bytes = read('exports/coco_1.0.tracks.zip')
    const result = await importBytes(coco, bytes, targetOf(labels, frames))
    expect(result.tracks).toHaveLength(2)
    expect(result.shapes).toHaveLength(1)
    expect(result.report.entries).toEqual([])
  })

  async function theirDocument(file: string, subset: string) {
    const texts = await textsOf(read(`exports/${file}`))
    return JSON.parse(texts[`annotations/instances_${subset}.json`] ?? '')
  }
})

// ---- helpers

function streetNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `street_${String(index).padStart(3, '0')}.jpg`)
}

/** CVAT stores only keyframes as shapes of a track. */
function withKeyframes(track: DatasetTrack): DatasetTrack {
  return { ...track, shapes: track.shapes.map((shape) => ({ ...shape, keyframe: true })) }
}

/** Converts an ellipse of CVAT, which stores the centre, the right x and the top y. */
function ellipseOfOurs(shape: ReturnType<typeof shapeOf>): ReturnType<typeof shapeOf> {
  const [cx = 0, cy = 0, right = 0, top = 0] = shape.points
  return shape.type === 'ellipse' ? { ...shape, points: [cx, cy, right - cx, cy - top] } : shape
}

/** Ids depend on the order of objects, and coordinates may differ in the last written decimal. */
function rounded(annotation: Record<string, unknown>) {
  return JSON.parse(
    JSON.stringify(annotation, (_, value) =>
      typeof value === 'number' ? Math.round(value * 10) / 10 : value,
    ),
  )
}
