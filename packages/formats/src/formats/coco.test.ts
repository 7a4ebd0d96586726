import { encodeRuns } from '@reticle/geometry'
import { describe, expect, test } from 'vitest'
import type { AttributeSpec, ItemFrame, Label, Shape } from '../model.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
  zipOf,
} from '../testing/run.ts'
import { coco } from './coco.ts'

const color = spec({ id: 1, name: 'color', input_type: 'select', default_value: 'red' })
const doors = spec({ id: 2, name: 'doors', input_type: 'number', default_value: '4' })
const parked = spec({ id: 3, name: 'parked', input_type: 'checkbox', mutable: true })
const car = labelOf({ id: 40, name: 'car', attributes: [color, doors, parked] })
const road = labelOf({ id: 41, name: 'road' })
const labels = [car, road]

describe('an export', () => {
  test('writes exactly this document', async () => {
    const { files } = await exported({
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
  })

  test('of nothing has a file with empty lists', async () => {
    const { files, report } = await exported({})
    const document = JSON.parse(files['annotations/instances_default.json'] ?? '')
    expect([document.annotations, document.images.length]).toEqual([[], 2])
    expect(report).toMatchObject({ created: { shapes: 0 }, entries: [] })
  })

  test('counts image ids on over subsets and saves images by subset', async () => {
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
    const { files } = await exportBytes(coco.exporter, { labels, subsets, saveImages: true })
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

  test('drops what COCO has no place for, and counts it', async () => {
    const { report } = await exported({
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

  test('makes one object of a group, led by its largest member', async () => {
    const annotations = await written([
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

  test('of grouped boxes has the box around them', async () => {
    const annotations = await written([
      shapeOf({ label_id: 40, group: 1, points: [20.25, 40.5, 60.75, 60] }),
      shapeOf({ label_id: 40, group: 1, points: [70, 50, 80, 70] }),
    ])
    expect(annotations).toMatchObject([{ segmentation: [], bbox: [20.25, 40.5, 59.75, 29.5] }])
  })

  test('follows the attribute is_crowd', async () => {
    const crowd = spec({ id: 9, name: 'is_crowd', input_type: 'checkbox', default_value: 'false' })
    const people = labelOf({ id: 50, name: 'people', attributes: [crowd] })
    const mask = { type: 'mask', points: [0, 100, 10, 10, 19, 19], label_id: 50 } as const
    const ring = [30, 30, 40, 30, 40, 40, 30, 40]
    const valued = (value: string) => ({ attributes: [{ spec_id: 9, value }] })
    const annotations = await written(
      [
        shapeOf({ ...mask, ...valued('false') }),
        shapeOf({ ...mask, ...valued('true') }),
        shapeOf({ label_id: 50, type: 'polygon', points: ring, ...valued('true') }),
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
    expect(annotations[0]).toMatchObject({ segmentation: [[20, 10, 20, 20, 10, 20, 10, 10]] })
    expect(annotations[0]?.attributes).not.toHaveProperty('is_crowd')
  })

  test('refuses a value that is none, naming frame, label and attribute', async () => {
    const shape = shapeOf({ label_id: 40, attributes: [{ spec_id: 2, value: 'many' }] })
    await expect(exported({ shapes: [shape] })).rejects.toThrow(
      'a.jpg: car: attribute "doors" is "many", expected a number',
    )
  })

  test('writes the score of a model', async () => {
    expect(await written([shapeOf({ label_id: 41, score: 0.5 })])).toMatchObject([{ score: 0.5 }])
  })

  test('paints in the order of z_order', async () => {
    const annotations = await written([
      shapeOf({ label_id: 40, z_order: 2 }),
      shapeOf({ label_id: 41, z_order: -1 }),
    ])
    expect(annotations.map(({ category_id }) => category_id)).toEqual([2, 1])
  })
})

describe('export and import again', () => {
  test('keep boxes, polygons, masks, groups, flags and attributes', async () => {
    const shapes = [
      shapeOf({
        label_id: 40,
        rotation: 33.3,
        occluded: true,
        attributes: [
          { spec_id: 1, value: 'blue' },
          { spec_id: 2, value: '2' },
          { spec_id: 3, value: 'true' },
        ],
      }),
      shapeOf({ label_id: 41, type: 'polygon', points: [0.5, 0.25, 50, 3, 20.75, 40], group: 1 }),
      shapeOf({ label_id: 41, type: 'polygon', points: [60, 60, 70, 60, 70, 70.5], group: 1 }),
      shapeOf({
        label_id: 41,
        type: 'mask',
        frame: 1,
        points: [0, 3, 1, 2, 6, 6, 8, 7],
        score: 0.25,
      }),
    ]
    const { bytes: archive } = await exported({ shapes })
    const again = await importBytes(coco, archive, targetOf(labels, framesOf(['a.jpg', 'b/c.jpg'])))
    expect(again.shapes).toEqual(shapes)
    expect(again.report).toMatchObject({ created: { shapes: 4 }, skipped: 0, entries: [] })
  })

  test('keep tracks, closed where they were hidden', async () => {
    const frames = framesOf(Array.from({ length: 12 }, (_, index) => `${index}.jpg`))
    const track = trackOf(
      [
        trackShapeOf({
          frame: 1,
          points: [0, 0, 10, 10],
          attributes: [{ spec_id: 3, value: 'true' }],
        }),
        trackShapeOf({
          frame: 5,
          points: [40, 0, 50, 10],
          occluded: true,
          attributes: [{ spec_id: 3, value: 'false' }],
        }),
        trackShapeOf({
          frame: 6,
          points: [40, 0, 50, 10],
          outside: true,
          occluded: true,
          attributes: [{ spec_id: 3, value: 'false' }],
        }),
        trackShapeOf({
          frame: 9,
          points: [0, 7, 10, 17],
          attributes: [{ spec_id: 3, value: 'false' }],
        }),
      ],
      {
        label_id: 40,
        attributes: [
          { spec_id: 1, value: 'red' },
          { spec_id: 2, value: '4' },
        ],
      },
    )
    const dataset = datasetOf(labels, frames, { tracks: [track] })
    const { bytes: archive, report } = await exportBytes(coco.exporter, dataset)
    expect(report.created.shapes).toBe(8)
    const again = await importBytes(coco, archive, targetOf(labels, frames))
    expect(again.tracks).toEqual([track])
    expect(again.shapes).toEqual([])
  })
})

describe('an import', () => {
  test('reads ids of any size, zero and as text, and keys in any order', async () => {
    const { shapes } = await imported({
      annotations: [
        { id: '900100000001', image_id: 0, category_id: '0', bbox: [1, 2, 3, 4] },
        { id: 0, image_id: 0, category_id: 0, bbox: [1, 2, 3, 4], segmentation: null },
      ],
      categories: [{ id: 0, name: 'road' }],
      images: [{ id: 0, file_name: 'a.jpg' }],
    })
    expect(shapes.map(({ label_id, points }) => [label_id, points])).toEqual([
      [41, [1, 2, 4, 6]],
      [41, [1, 2, 4, 6]],
    ])
  })

  test('reads run lengths in three spellings, whatever iscrowd says', async () => {
    const text = encodeRuns([244, 1, 79, 1, 7675])
    const { shapes } = await importedOne([
      { segmentation: { counts: [244, 1, 79, 1, 7675], size: [80, 100] }, iscrowd: 0 },
      { segmentation: { counts: text, size: [80, 100] } },
      { segmentation: { counts: [text], size: [80, 100] } },
      { segmentation: { counts: [244, 1], size: [80, 100] } },
    ])
    const whole = ['mask', [0, 2, 3, 4, 4, 4]]
    expect(shapes.map(({ type, points }) => [type, points])).toEqual([
      whole,
      whole,
      whole,
      ['mask', [0, 1, 3, 4, 3, 4]],
    ])
  })

  test('groups the rings of an object, numbered from 1 on each frame', async () => {
    const ring = [0, 0, 5, 0, 5, 5]
    const { shapes } = await importedOne([
      { segmentation: [ring] },
      { segmentation: [ring, ring] },
      { segmentation: [ring, [], ring] },
      { segmentation: [ring, ring], image_id: 2 },
    ])
    expect(shapes.map(({ group, frame }) => [frame, group])).toEqual([
      [0, 0],
      [0, 1],
      [0, 1],
      [0, 2],
      [0, 2],
      [1, 1],
      [1, 1],
    ])
  })

  test('skips shapes without area, and says so', async () => {
    const { shapes, report } = await importedOne([
      { bbox: [1, 2, 0, 4] },
      { segmentation: [[0, 0, 5, 5]] },
      { segmentation: { counts: [8000], size: [80, 100] } },
    ])
    expect(shapes).toEqual([])
    expect(report.entries).toEqual([
      {
        kind: 'skipped',
        code: 'degenerate-shape',
        count: 3,
        reason: 'the shape has no area',
        examples: ['annotation 1', 'annotation 2', 'annotation 3'].map((item) => ({
          file: 'annotations.json',
          item,
        })),
      },
    ])
  })

  test('tells attributes it does not know and ids given twice', async () => {
    const { shapes, report } = await importedOne([
      {
        id: 7,
        bbox: [1, 2, 3, 4],
        attributes: { wheels: 4, occluded: 'yes', color: 'green' },
        category_id: 1,
      },
      { id: 7, bbox: [1, 2, 3, 4] },
    ])
    expect(shapes[0]).toMatchObject({
      occluded: true,
      attributes: [{ spec_id: 1, value: 'green' }],
    })
    expect(report.entries.map(({ code, reason }) => [code, reason])).toEqual([
      ['dropped-attribute', "attribute 'wheels' unknown on label 'car'"],
      ['duplicate-entry', 'the annotation id is given twice'],
    ])
  })

  test('keeps sources it knows, else calls them file', async () => {
    const { shapes } = await importedOne([
      { bbox: [1, 2, 3, 4], attributes: { source: 'manual' } },
      { bbox: [1, 2, 3, 4], attributes: { source: 'elsewhere' } },
    ])
    expect(shapes.map(({ source }) => source)).toEqual(['manual', 'file'])
  })

  test('drops background and what has no category', async () => {
    const { shapes, report } = await imported({
      images: [{ id: 1, file_name: 'a.jpg' }],
      categories: [{ id: 5, name: 'background' }],
      annotations: [
        { id: 1, image_id: 1, category_id: 5, bbox: [1, 2, 3, 4] },
        { id: 2, image_id: 1, category_id: 0, bbox: [1, 2, 3, 4] },
      ],
    })
    expect(shapes).toEqual([])
    expect(report.entries).toMatchObject([{ code: 'unlabelled', count: 1 }])
  })

  test('leaves frames outside of the job alone', async () => {
    const target = targetOf(labels, framesOf(['a.jpg', 'b/c.jpg']))
    target.frames.includes = (frame) => frame === 1
    const text = JSON.stringify(
      documentOf([{ bbox: [1, 2, 3, 4] }, { bbox: [1, 2, 3, 4], image_id: 2 }]),
    )
    const { shapes, report } = await importBytes(coco, text, target)
    expect(shapes.map(({ frame }) => frame)).toEqual([1])
    expect(report.entries).toMatchObject([{ code: 'frame-outside-job', count: 1 }])
  })

  test('reports progress up to the whole', async () => {
    const { progress } = await importedOne([{ bbox: [1, 2, 3, 4] }])
    expect(progress.at(-1)).toBe(1)
  })

  test('skips a box of a label that takes skeletons only', async () => {
    const person = labelOf({ id: 41, name: 'road', type: 'skeleton' })
    const text = JSON.stringify(documentOf([{ bbox: [1, 2, 3, 4] }]))
    const { shapes, report } = await importBytes(
      coco,
      text,
      targetOf([person], framesOf(['a.jpg'])),
    )
    expect([shapes.length, report.skipped]).toEqual([0, 1])
  })
})

describe('an import is refused', () => {
  const box = { id: 17, image_id: 1, category_id: 2, bbox: [1, 2, 3, 4] }
  const cases: [string, object, string][] = [
    ['a short box', { bbox: [1, 2, 3] }, 'annotation 17: bbox has 3 values, expected 4'],
    [
      'a text in a box',
      { bbox: [1, 2, 'x', 4] },
      'annotation 17: bbox[2] is "x", expected a finite number',
    ],
    ['no box', { bbox: undefined }, 'annotation 17: bbox is missing'],
    [
      'half a vertex',
      { segmentation: [[0, 0, 1, 1, 2, 2, 3]] },
      'segmentation[0] has 7 values, expected an even number',
    ],
    [
      'a ring of texts',
      { segmentation: [['a']] },
      'segmentation[0][0] is "a", expected a finite number',
    ],
    [
      'flat rings',
      { segmentation: [1, 2, 3, 4, 5, 6] },
      'segmentation[0] is 1, expected a list of numbers',
    ],
    ['a text for rings', { segmentation: 'x' }, 'segmentation is "x", expected rings or runs'],
    ['an unknown image', { image_id: 5 }, 'annotation 17: image_id 5 is none of the images'],
    [
      'an unknown category',
      { category_id: 5 },
      'annotation 17: category_id 5 is none of the categories',
    ],
    ['no image id', { image_id: undefined }, 'annotation 17: image_id is missing'],
    ['a broken id', { image_id: 'x' }, 'annotation 17: image_id is "x", expected an integer'],
    [
      'a mask of another size',
      { segmentation: { counts: [200], size: [10, 20] } },
      'annotation 17: mask of 20 x 10 pixels on a frame of 100 x 80',
    ],
    [
      'too long runs',
      { segmentation: { counts: [9000], size: [80, 100] } },
      'runs sum to 9000, the image has 100 x 80 pixels',
    ],
    [
      'a negative run',
      { segmentation: { counts: [5, -1], size: [80, 100] } },
      'segmentation.counts[1] is -1, expected a whole number',
    ],
    [
      'a broken run text',
      { segmentation: { counts: ' ', size: [80, 100] } },
      'wrong character at 0',
    ],
    ['a wrong flag', { attributes: { occluded: 'x' } }, 'occluded is "x", expected true or false'],
    [
      'a wrong checkbox',
      { category_id: 1, attributes: { parked: 'x' } },
      'attribute "parked" is "x", expected true or false',
    ],
    [
      'a nested attribute',
      { category_id: 1, attributes: { color: [1] } },
      'attribute "color" is no text, number or boolean',
    ],
  ]
  test.each(cases)('%s', async (_, change, message) => {
    const text = JSON.stringify(documentOf([{ ...box, ...change }]))
    await expect(importText(text)).rejects.toThrow(message)
    await expect(importText(text)).rejects.toThrow('annotations.json: annotation 17: ')
  })

  test('two shapes of a track on one frame', async () => {
    const attributes = { track_id: 3, keyframe: true }
    await expect(
      importedOne([
        { bbox: [1, 2, 3, 4], attributes },
        { bbox: [2, 2, 3, 4], attributes },
      ]),
    ).rejects.toThrow(
      "annotation 2: a second shape of track 3 of 'road' (rectangle) in annotations.json on frame 0",
    )
  })

  test('labels that the task has not, all of them', async () => {
    const document = documentOf([box, { ...box, category_id: 3 }, { ...box, category_id: 4 }])
    document.categories.push(
      { id: 3, name: 'tree' },
      { id: 4, name: 'sky' },
      { id: 5, name: 'unused' },
    )
    await expect(importText(JSON.stringify(document))).rejects.toThrow(
      "Labels 'tree', 'sky' are not registered for this task",
    )
  })

  test('annotated images without a frame, up to ten by name', async () => {
    const document = documentOf([])
    for (let id = 10; id < 23; id += 1) {
      document.images.push({ id, file_name: `other${id}.jpg` })
      document.annotations.push({ ...box, id, image_id: id })
    }
    document.images.push({ id: 99, file_name: 'not annotated.jpg' })
    await expect(importText(JSON.stringify(document))).rejects.toThrow(
      /^13 annotated items have no matching frame in this task: other10.jpg, .*other19.jpg, \.\.\.$/,
    )
  })

  test('an image given twice', async () => {
    const document = documentOf([])
    document.images.push({ id: 2, file_name: 'again.jpg' })
    await expect(importText(JSON.stringify(document))).rejects.toThrow(
      'annotations.json: image 2: the id is given twice',
    )
  })

  test('a list of results', async () => {
    await expect(importText('[{"image_id":1}]')).rejects.toThrow(
      'annotations.json: expected an object with images and annotations at byte 0',
    )
  })

  test('an object without images', async () => {
    await expect(importText('{"annotations":[]}')).rejects.toThrow('images, categories missing')
  })

  test('a file that is cut off, at its byte', async () => {
    const text = JSON.stringify(documentOf([box, box, box]))
    const half = text.slice(0, text.lastIndexOf('"bbox"'))
    await expect(importText(half)).rejects.toThrow(
      `annotations.json: annotations[2]: the text ends too early at byte ${half.length}`,
    )
    const archive = await zipOf({ 'annotations/instances_val.json': half })
    await expect(importText(archive)).rejects.toThrow(
      `annotations/instances_val.json: annotations[2]: the text ends too early at byte ${half.length}`,
    )
  })

  test('a number that JSON has not', async () => {
    const text = JSON.stringify(documentOf([box])).replace('[1,2,3,4]', '[NaN,2,3,4]')
    await expect(importText(text)).rejects.toThrow('annotations[0]: "NaN" is no JSON value at byte')
  })

  test('XML', async () => {
    await expect(importText('<annotations/>')).rejects.toThrow(
      'expected a JSON file or a ZIP archive',
    )
  })

  test('an archive without annotations', async () => {
    await expect(importText(await zipOf({ 'a.txt': '' }))).rejects.toThrow(
      'no COCO annotations: expected annotations/instances_<subset>.json',
    )
    await expect(
      importText(await zipOf({ 'annotations/captions_val.json': '{}' })),
    ).rejects.toThrow('no instances in annotations/captions_val.json')
  })
})

describe('an archive may be laid out', () => {
  const text = JSON.stringify(documentOf([{ bbox: [1, 2, 3, 4] }]))
  const layouts: [string, Record<string, string>, number][] = [
    ['as the data set is', { 'annotations/instances_val.json': text }, 1],
    ['in a folder', { 'my export/annotations/instances_val.json': text }, 1],
    [
      'in subsets',
      { 'annotations/instances_a.json': text, 'annotations/instances_b.json': text },
      2,
    ],
    [
      'with files of other tasks',
      {
        'annotations/instances_a.json': text,
        'annotations/captions_a.json': '{}',
        'annotations/stuff_a.json': text,
      },
      1,
    ],
    ['with another name', { 'annotations/mine.json': text }, 1],
    ['with keypoints only', { 'annotations/person_keypoints_a.json': text }, 1],
    [
      'beside the images',
      { 'train/_annotations.coco.json': text, 'valid/_annotations.coco.json': text },
      2,
    ],
    ['anyhow', { 'x/labels.json': text, 'x/other.json': '{"a":1}', 'broken.json': '{' }, 1],
  ]
  test.each(layouts)('%s', async (_, files, count) => {
    const { shapes } = await importText(await zipOf(files))
    expect(shapes).toHaveLength(count)
  })

  test('and tells what it passes over', async () => {
    const files = { 'annotations/instances_a.json': text, 'annotations/captions_a.json': '{}' }
    const { report } = await importText(await zipOf(files))
    expect(report.entries).toMatchObject([
      { code: 'ignored-file', examples: [{ file: 'annotations/captions_a.json' }] },
    ])
  })
})

// ---- support

function spec(given: Partial<AttributeSpec> & { id: number; name: string }): AttributeSpec {
  return { mutable: false, input_type: 'text', values: [], default_value: 'false', ...given }
}

interface Document {
  images: object[]
  categories: object[]
  annotations: object[]
}

/** A document over two frames in which annotations are of `road` on the first one unless they say more. */
function documentOf(annotations: object[]): Document {
  return {
    images: [
      { id: 1, file_name: 'a.jpg' },
      { id: 2, file_name: 'images/b/c.jpg' },
    ],
    categories: [
      { id: 1, name: 'car' },
      { id: 2, name: 'road' },
    ],
    annotations: annotations.map((one, index) => ({
      id: index + 1,
      image_id: 1,
      category_id: 2,
      ...one,
    })),
  }
}

function frames(): ItemFrame[] {
  return framesOf(['a.jpg', 'b/c.jpg'])
}

function importText(text: string | Uint8Array) {
  return importBytes(coco, text, targetOf(labels, frames()))
}

function imported(document: object) {
  return importText(JSON.stringify(document))
}

function importedOne(annotations: object[]) {
  return imported(documentOf(annotations))
}

function exported(streams: Parameters<typeof datasetOf>[2], known: Label[] = labels) {
  return exportBytes(coco.exporter, datasetOf(known, frames(), streams))
}

/** The annotations of an export as objects. */
async function written(shapes: Shape[], known: Label[] = labels) {
  const { files } = await exported({ shapes }, known)
  const document: { annotations: Record<string, unknown>[] } = JSON.parse(
    files['annotations/instances_default.json'] ?? '',
  )
  return document.annotations
}

async function* bytes(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield Buffer.from(part)
}
