import { describe, expect, test } from 'vitest'
import type { AttributeSpec, Dataset, ItemFrame } from '../../model/dataset.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  partOf,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
} from '../../testing/run.ts'
import { mot } from '../mot.ts'

const spec = (given: Pick<AttributeSpec, 'id' | 'name'> & Partial<AttributeSpec>) => ({
  mutable: true,
  input_type: 'text',
  values: [],
  default_value: '',
  ...given,
})
const attributes = [
  spec({ id: 1, name: 'visibility', input_type: 'number', default_value: '1' }),
  spec({ id: 2, name: 'ignored', input_type: 'checkbox', default_value: 'false' }),
  spec({ id: 3, name: 'color' }),
]
const labels = [labelOf({ id: 3, name: 'car' }), labelOf({ id: 6, name: 'Fußgänger', attributes })]
const frames = framesOf(['a.jpg', 'b/ü (2).png', 'c.jpg'])

const exported = (dataset: Dataset) => exportBytes(mot.exporter, dataset)
const rowsOf = async (given: Parameters<typeof datasetOf>[2]) =>
  (await exported(datasetOf(labels, frames, given))).files['gt/gt.txt']

describe('a MOT export', () => {
  test('writes exactly these files', async () => {
    const shapes = [
      shapeOf({ label_id: 6, points: [10, 20, 30.555, 60], z_order: 1 }),
      shapeOf({ label_id: 3, points: [0.1, 0, 0.3, 80], occluded: true }),
      shapeOf({ label_id: 3, frame: 2, points: [-5, 1.2, 12.5, 40] }),
    ]
    const { files, report } = await exported(datasetOf(labels, frames, { shapes }))
    expect(files).toEqual({
      'gt/gt.txt':
        '1,-1,0.1,0.0,0.2,80.0,1,1,0.0\n' +
        '1,-1,10.0,20.0,20.56,40.0,1,2,1.0\n' +
        '3,-1,-5.0,1.2,17.5,38.8,1,1,1.0\n',
      'gt/labels.txt': 'car\nFußgänger',
    })
    expect(report).toMatchObject({ created: { shapes: 3 }, entries: [] })
  })

  test('writes empty files without annotations', async () => {
    const { files, report } = await exported(datasetOf([], frames, {}))
    expect(files).toEqual({ 'gt/gt.txt': '', 'gt/labels.txt': '' })
    expect(report.entries).toEqual([])
  })

  test('numbers tracks in order of appearance and leaves out frames where they are hidden', async () => {
    const hidden = trackShapeOf({ frame: 1, outside: true })
    const tracks = [
      trackOf([trackShapeOf({}), hidden], { label_id: 3 }),
      trackOf([trackShapeOf({ points: [0, 0, 10, 10], z_order: -1 })], { label_id: 6 }),
    ]
    expect(await rowsOf({ tracks })).toBe(
      '1,1,0.0,0.0,10.0,10.0,1,2,1.0\n1,2,1.0,2.0,10.0,20.0,1,1,1.0\n' +
        '2,1,0.0,0.0,10.0,10.0,1,2,1.0\n3,1,0.0,0.0,10.0,10.0,1,2,1.0\n',
    )
  })

  test('writes two attributes into columns', async () => {
    const valued = (visibility: string, ignored: string) => ({
      label_id: 6,
      attributes: [
        { spec_id: 1, value: visibility },
        { spec_id: 2, value: ignored },
      ],
    })
    const shapes = [shapeOf(valued('0.35', 'true')), shapeOf(valued('0', 'false'))]
    const dataset = datasetOf(labels, frames, { shapes })
    const { files, report } = await exported(dataset)
    expect(files['gt/gt.txt']).toBe(
      '1,-1,1.0,2.0,10.0,20.0,0,2,0.35\n1,-1,1.0,2.0,10.0,20.0,1,2,0.0\n',
    )
    expect(report).toMatchObject({ converted: 1, entries: [{ count: 1 }] })
    const wrong = datasetOf(labels, frames, { shapes: [shapeOf(valued('high', 'false'))] })
    await expect(exported(wrong)).rejects.toThrow(
      'a.jpg: Fußgänger: attribute "visibility" is "high", expected a number',
    )
  })

  test('counts deleted frames of the task and frames before the job', async () => {
    const some = framesOf(Array.from({ length: 8 }, (_, index) => `${index}.jpg`)).filter(
      ({ frame }) => frame > 3 && frame !== 5,
    )
    const shapes = [4, 5, 6].map((frame) => shapeOf({ label_id: 3, frame }))
    const { files } = await exported(datasetOf(labels, some, { shapes }))
    expect(files['gt/gt.txt']).toBe(
      '5,-1,1.0,2.0,10.0,20.0,1,1,1.0\n7,-1,1.0,2.0,10.0,20.0,1,1,1.0\n',
    )
  })

  test('writes a folder for each subset, and continues frame numbers over tasks in a subset', async () => {
    const pixels = async function* () {
      yield Buffer.from('pixels')
    }
    const own = (paths: string[]): ItemFrame[] =>
      framesOf(paths).map((frame) => ({ ...frame, image: pixels }))
    const tracks = [trackOf([trackShapeOf({})], { label_id: 3 })]
    const [one, two] = [own(['a.jpg', 'b.jpg']), own(['c.jpg'])]
    const parts = [partOf(one, { tracks }), partOf(two, { tracks })]
    const twoTasks = { name: 'x/y', frames: [...one, ...two], parts, items: () => noItems() }
    const other = datasetOf(labels, own(['a.jpg']), { tracks }, { saveImages: true })
    const { files, progress } = await exported({ ...other, subsets: [twoTasks, ...other.subsets] })
    const box = '1.0,2.0,10.0,20.0,1,1,1.0\n'
    expect(files).toEqual({
      'x_y/gt/gt.txt': `1,1,${box}2,1,${box}3,2,${box}`,
      'x_y/gt/labels.txt': 'car\nFußgänger',
      'default/gt/gt.txt': `1,1,${box}`,
      'default/gt/labels.txt': 'car\nFußgänger',
      'x_y/img1/a.jpg': 'pixels',
      'x_y/img1/b.jpg': 'pixels',
      'x_y/img1/c.jpg': 'pixels',
      'default/img1/a.jpg': 'pixels',
    })
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect(progress.at(-1)).toBe(1)
  })

  test('reports each loss', async () => {
    const shapes = [
      shapeOf({ label_id: 3, rotation: 15, group: 2, score: 0.5 }),
      shapeOf({ label_id: 6, attributes: [{ spec_id: 3, value: 'red' }] }),
      shapeOf({ label_id: 3, type: 'mask', points: [0, 1, 5, 5, 5, 5] }),
    ]
    const { files, report } = await exported(datasetOf(labels, frames, { shapes }))
    expect(files['gt/gt.txt']?.split('\n')).toHaveLength(3)
    expect(report.entries.map(({ code, reason }) => [code, reason])).toEqual([
      ['unsupported-rotation', 'MOT 1.1 has no rotation'],
      ['dropped-attribute', 'MOT 1.1 has no groups'],
      ['dropped-attribute', 'MOT 1.1 has no scores'],
      ['dropped-shape-type', 'MOT 1.1 has no masks'],
      ['dropped-attribute', 'MOT 1.1 has no attributes but visibility and ignored'],
    ])
  })
})

describe('a MOT export that is imported again', () => {
  const visible = {
    attributes: [
      { spec_id: 1, value: '0.5' },
      { spec_id: 2, value: 'true' },
    ],
  }
  const many = framesOf(Array.from({ length: 12 }, (_, index) => `${index}.jpg`))

  test('keeps boxes, and tracks that end where they were hidden', async () => {
    const track = trackOf(
      [
        trackShapeOf({ frame: 1, points: [0, 0, 10, 10.01] }),
        trackShapeOf({ frame: 2, points: [10, 0, 20, 10], occluded: true }),
        trackShapeOf({ frame: 3, points: [10, 0, 20, 10], occluded: true, outside: true }),
        trackShapeOf({ frame: 11, points: [0.07, 7, 10.11, 17.3] }),
      ],
      { label_id: 3 },
    )
    const shapes = [
      shapeOf({ label_id: 6, frame: 4, ...visible }),
      shapeOf({ label_id: 3, frame: 5 }),
    ]
    const dataset = datasetOf(labels, many, { tracks: [track], shapes })
    const { bytes, files } = await exported(dataset)
    const again = await importBytes(mot, bytes, targetOf(labels, many))
    expect(again.tracks).toEqual([track])
    expect(again.shapes).toEqual(shapes)
    const second = await exported(
      datasetOf(labels, many, { tracks: again.tracks, shapes: again.shapes }),
    )
    expect(second.files).toEqual(files)
    expect(second.bytes.equals(bytes)).toBe(true)
  })

  test('is matched to the frames of a job', async () => {
    const ofJob = many.filter(({ frame }) => frame >= 6)
    const shapes = [shapeOf({ label_id: 3, frame: 7 })]
    const { bytes } = await exported(datasetOf(labels, ofJob, { shapes }))
    const { frames } = targetOf(labels, many)
    const job = { labels, frames: { ...frames, includes: (frame: number) => frame >= 6 } }
    expect((await importBytes(mot, bytes, job)).shapes).toEqual(shapes)
    expect((await importBytes(mot, bytes, targetOf(labels, many))).shapes).toEqual(shapes)
  })

  test('is matched to the frames of a video with a step', async () => {
    const video = framesOf(['frame_000010.PNG', 'frame_000015.PNG', 'frame_000020.PNG'])
    const shapes = [shapeOf({ label_id: 3, frame: 1 })]
    const { bytes, files } = await exported(datasetOf(labels, video, { shapes }))
    expect(files['gt/gt.txt']).toBe('2,-1,1.0,2.0,10.0,20.0,1,1,1.0\n')
    const whole = { is_video: true, start_frame: 10, step: 5, includes: () => true }
    const target = { labels, frames: { frames: video, ...whole } }
    expect((await importBytes(mot, bytes, target)).shapes).toEqual(shapes)
  })
})

// ---- helpers

async function* noItems() {}
