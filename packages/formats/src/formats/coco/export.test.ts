import { describe, expect, test } from 'vitest'
import { createSpec, exportCocoStreams, labels, readExported } from '../../testing/coco.ts'
import { datasetOf, exportBytes, framesOf, labelOf, shapeOf } from '../../testing/run.ts'
import { coco } from '../coco.ts'

describe('a COCO export', () => {
  test('writes exactly this document', async () => {
    const { files, report } = await exportCocoStreams({
      shapes: [
        shapeOf({
          label_id: 40,
          points: [1.234, 2, 11, 22.5],
          rotation: 30,
          occluded: true,
          attributes: [{ spec_id: 1, value: 'blue' }],
        }),
        shapeOf({ label_id: 41, type: 'polygon', frame: 1, points: [0, 0, 10, 0, 10, 5, 0, 5] }),
        shapeOf({ label_id: 41, type: 'mask', frame: 1, points: [0, 2, 3, 4, 4, 4] }),
      ],
    })
    expect(Object.keys(files)).toEqual(['annotations/instances_default.json'])
    expect(files['annotations/instances_default.json']).toBe(
      '{"licenses":[{"name":"","id":0,"url":""}],"info":{"contributor":"","date_created":"","description":"","url":"","version":"","year":""},' +
        '"categories":[{"id":1,"name":"car","supercategory":""},{"id":2,"name":"road","supercategory":""}],' +
        '"images":[{"id":1,"width":100,"height":80,"file_name":"a.jpg","license":0,"flickr_url":"","coco_url":"","date_captured":0},' +
        '{"id":2,"width":100,"height":80,"file_name":"b/c.jpg","license":0,"flickr_url":"","coco_url":"","date_captured":0}],' +
        '"annotations":[' +
        '{"id":1,"image_id":1,"category_id":1,"segmentation":[],"area":200.285,"bbox":[1.23,2.0,9.77,20.5],"iscrowd":0,' +
        '"attributes":{"color":"blue","doors":4,"parked":false,"occluded":true,"rotation":30.0}},' +
        '{"id":2,"image_id":2,"category_id":2,"segmentation":[[0.0,0.0,10.0,0.0,10.0,5.0,0.0,5.0]],"area":50.0,"bbox":[0.0,0.0,10.0,5.0],"iscrowd":0,"attributes":{"occluded":false}},' +
        '{"id":3,"image_id":2,"category_id":2,"segmentation":{"counts":[244,1,79,1,7675],"size":[80,100]},"area":2.0,"bbox":[3.0,4.0,2.0,1.0],"iscrowd":1,"attributes":{"occluded":false}}' +
        ']}',
    )
    expect(report.entries).toMatchObject([{ code: 'rounded', count: 1 }])
  })

  test('writes empty lists for a dataset without annotations', async () => {
    const { files, report } = await exportCocoStreams({})
    const document = JSON.parse(files['annotations/instances_default.json'] ?? '')
    expect([document.annotations, document.images.length]).toEqual([[], 2])
    expect(report).toMatchObject({ created: { shapes: 0 }, entries: [] })
  })

  test('continues image ids over subsets and saves images by subset', async () => {
    const image = async function* () {
      yield 'pixels'
    }
    const withImage = framesOf(['a.jpg']).map((frame) => ({
      ...frame,
      image: () => bytes(image()),
    }))
    const one = datasetOf(labels, withImage, {}, { name: 'Train' })
    const two = datasetOf(
      labels,
      withImage,
      { shapes: [shapeOf({ label_id: 41 })] },
      { name: 'x/y' },
    )
    const subsets = [...one.subsets, ...two.subsets]
    const { files } = await exportBytes(coco.exporter, { ...one, subsets, saveImages: true })
    expect(Object.keys(files)).toEqual([
      'annotations/instances_Train.json',
      'annotations/instances_x_y.json',
      'images/Train/a.jpg',
      'images/x_y/a.jpg',
    ])
    expect(files['images/x_y/a.jpg']).toBe('pixels')
    const second = JSON.parse(files['annotations/instances_x_y.json'] ?? '')
    expect([second.images[0].id, second.annotations[0].image_id, second.annotations[0].id]).toEqual(
      [2, 2, 1],
    )
  })

  test('separates subsets whose names map to the same file name', async () => {
    const image = () => bytes(['pixels'])
    const frames = framesOf(['a.jpg']).map((frame) => ({ ...frame, image }))
    const one = datasetOf(labels, frames, {}, { name: 'x/y' })
    const two = datasetOf(labels, frames, {}, { name: 'x_y' })
    const subsets = [...one.subsets, ...two.subsets]
    const { files } = await exportBytes(coco.exporter, { ...one, subsets, saveImages: true })
    expect(Object.keys(files)).toEqual([
      'annotations/instances_x_y.json',
      'annotations/instances_x_y_1.json',
      'images/x_y/a.jpg',
      'images/x_y_1/a.jpg',
    ])
  })

  test('reports progress for every image', async () => {
    const image = () => bytes(['pixels'])
    const frames = framesOf(['a.jpg', 'b.jpg']).map((frame) => ({ ...frame, image }))
    const shapes = [shapeOf({ label_id: 41, frame: 1 })]
    const dataset = datasetOf(labels, frames, { shapes }, { saveImages: true })
    const { progress } = await exportBytes(coco.exporter, dataset)
    expect(progress).toEqual([0.125, 0.625, 1])
  })

  test('drops shapes that COCO cannot represent, and counts them', async () => {
    const { report } = await exportCocoStreams({
      tags: [{ frame: 0, label_id: 40, group: 0, source: 'manual', attributes: [] }],
      shapes: [
        shapeOf({ type: 'polyline', label_id: 41, points: [0, 0, 1, 1] }),
        shapeOf({ type: 'polyline', label_id: 41, points: [0, 0, 2, 1] }),
        shapeOf({ type: 'cuboid', label_id: 41 }),
        shapeOf({ type: 'ellipse', label_id: 41, points: [20, 20, 5, 5] }),
        shapeOf({ type: 'ellipse', label_id: 41, points: [-50, -50, 5, 5] }),
      ],
    })
    expect(report).toMatchObject({ created: { shapes: 1 }, dropped: 5, converted: 1 })
    expect(report.entries).toContainEqual({
      kind: 'dropped',
      code: 'dropped-shape-type',
      count: 2,
      reason: 'COCO 1.0 has no polylines',
      examples: [{ item: 'a.jpg' }, { item: 'a.jpg' }],
    })
  })

  test('merges a group into one object, with label and attributes of its largest member', async () => {
    const annotations = await readExported([
      shapeOf({ label_id: 40, group: 3, points: [0, 0, 10, 10] }),
      shapeOf({ label_id: 41, group: 3, type: 'polygon', points: [20, 0, 60, 0, 60, 40, 20, 40] }),
      shapeOf({ label_id: 41, group: 3, type: 'polygon', points: [70, 0, 80, 0, 80, 10, 70, 10] }),
    ])
    expect(annotations).toMatchObject([
      {
        category_id: 2,
        bbox: [0, 0, 80, 40],
        area: 1700,
        iscrowd: 0,
        segmentation: [[], []].fill(expect.any(Array)),
      },
    ])
  })

  test.each([
    ['a mask', { type: 'mask', points: [0, 100, 20, 0, 29, 9] }, {}],
    ['a label', { label_id: 40 }, {}],
    ['attributes', { attributes: [{ spec_id: 9, value: 'x' }] }, {}],
    ['occlusion', { occluded: true }, {}],
    ['a box that leads', {}, { type: 'rectangle', points: [0, 0, 50, 50] }],
    ['nothing', {}, {}],
  ] as const)('tells that %s of a group is not there any more', async (what, own, other) => {
    const ring = [0, 0, 9, 0, 9, 9]
    const polygon = { label_id: 41, group: 3, type: 'polygon', points: ring } as const
    const { report } = await exportCocoStreams({
      shapes: [
        shapeOf({ ...polygon, points: [60, 0, 90, 0, 90, 40], ...other }),
        shapeOf({ ...polygon, ...own }),
      ],
    })
    const entries =
      what === 'nothing' ? [] : [{ kind: 'converted', code: 'merged-group', count: 1 }]
    expect(report.entries).toMatchObject(entries)
    expect(report.entries).toHaveLength(entries.length)
  })

  test('writes the bounding box around grouped boxes', async () => {
    const annotations = await readExported([
      shapeOf({ label_id: 40, group: 1, points: [20.25, 40.5, 60.75, 60] }),
      shapeOf({ label_id: 40, group: 1, points: [70, 50, 80, 70] }),
    ])
    expect(annotations).toMatchObject([{ segmentation: [], bbox: [20.25, 40.5, 59.75, 29.5] }])
  })

  test('writes run lengths or rings according to the attribute is_crowd', async () => {
    const crowd = createSpec({
      id: 9,
      name: 'is_crowd',
      input_type: 'checkbox',
      default_value: 'false',
    })
    const people = labelOf({ id: 50, name: 'people', attributes: [crowd] })
    const mask = { type: 'mask', points: [0, 100, 10, 10, 19, 19], label_id: 50 } as const
    const ring = [30, 30, 40, 30, 40, 40, 30, 40]
    const valued = (value: string) => ({ attributes: [{ spec_id: 9, value }] })
    const annotations = await readExported(
      [
        shapeOf({ ...mask, ...valued('false') }),
        shapeOf({ ...mask, ...valued('true') }),
        shapeOf({ label_id: 50, type: 'polygon', points: ring, ...valued('True') }),
        shapeOf({ label_id: 50, type: 'polygon', points: ring, ...valued('false') }),
      ],
      [people],
    )
    expect(annotations.map(({ iscrowd, area }) => [iscrowd, area])).toEqual([
      [0, 100],
      [1, 100],
      [1, 100],
      [0, 100],
    ])
    expect(annotations[0]).toMatchObject({ segmentation: [[10, 10, 20, 10, 20, 20, 10, 20]] })
    expect(annotations[0]?.attributes).not.toHaveProperty('is_crowd')
  })

  test('keeps rings for a group led by a polygon, even when it contains a mask of another label', async () => {
    const leader = { type: 'polygon', points: [0, 0, 20, 0, 20, 20, 0, 20], label_id: 41 } as const
    const mask = { type: 'mask', points: [0, 4, 30, 30, 31, 31], label_id: 40 } as const
    const grouped = [leader, mask].map((one) => shapeOf({ ...one, group: 1 }))
    expect(await readExported(grouped)).toMatchObject([
      {
        category_id: 2,
        iscrowd: 0,
        segmentation: [leader.points, [30, 30, 32, 30, 32, 32, 30, 32]],
      },
    ])
  })

  test('refuses an invalid attribute value and names frame, label and attribute', async () => {
    const shape = shapeOf({ label_id: 40, attributes: [{ spec_id: 2, value: 'many' }] })
    await expect(exportCocoStreams({ shapes: [shape] })).rejects.toThrow(
      'a.jpg: car: attribute "doors" is "many", expected a number',
    )
  })

  test('writes the score of a shape', async () => {
    expect(await readExported([shapeOf({ label_id: 41, score: 0.5 })])).toMatchObject([
      { score: 0.5 },
    ])
  })

  test('does not write an attribute named "score"', async () => {
    const label = labelOf({
      id: 50,
      name: 'people',
      attributes: [createSpec({ id: 9, name: 'score' })],
    })
    const shape = shapeOf({ label_id: 50, attributes: [{ spec_id: 9, value: '7' }] })
    const [annotation] = await readExported([shape], [label])
    expect(annotation).not.toHaveProperty('score')
    expect(annotation?.attributes).toEqual({ occluded: false, rotation: 0 })
  })

  test('orders annotations by z_order', async () => {
    const annotations = await readExported([
      shapeOf({ label_id: 40, z_order: 2 }),
      shapeOf({ label_id: 41, z_order: -1 }),
    ])
    expect(annotations.map(({ category_id }) => category_id)).toEqual([2, 1])
  })
})

// ---- helpers

async function* bytes(parts: AsyncIterable<string> | string[]): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield Buffer.from(part)
}
