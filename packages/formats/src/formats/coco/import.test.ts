import { encodeRuns } from '@reticle/geometry'
import { describe, expect, test } from 'vitest'
import {
  createSpec,
  documentOf,
  importAnnotations,
  importCocoDocument,
  labels,
  twoFrames,
} from '../../testing/coco.ts'
import { framesOf, importBytes, labelOf, targetOf, zipOf } from '../../testing/run.ts'
import { coco } from '../coco.ts'

describe('a COCO import', () => {
  test('reads ids that are large, zero or strings, and keys in any order', async () => {
    const { shapes } = await importCocoDocument({
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

  test('reads run lengths as numbers, a string or a list of one string, and pads a short sum', async () => {
    const text = encodeRuns([244, 1, 79, 1, 7675])
    const { shapes } = await importAnnotations([
      { segmentation: { counts: [244, 1, 79, 1, 7675], size: [80, 100] }, iscrowd: 0 },
      { segmentation: { counts: text, size: [80, 100] } },
      { segmentation: { counts: [text], size: [80, 100] } },
      { segmentation: { counts: [244, 1], size: [80, 100] } },
    ])
    const mask = ['mask', [0, 2, 3, 4, 4, 4]]
    expect(shapes.map(({ type, points }) => [type, points])).toEqual([
      mask,
      mask,
      mask,
      ['mask', [0, 1, 3, 4, 3, 4]],
    ])
  })

  test('converts masks to polygons on request; the polygons of one mask form a group', async () => {
    // Column runs: two pixels at (3, 4), and a separate one at (5, 4).
    const twoParts = { counts: [244, 2, 158, 1, 7595], size: [80, 100] }
    const onePart = { counts: [244, 1, 7755], size: [80, 100] }
    const attributes = { color: 'blue', occluded: true }
    const document = documentOf([
      { segmentation: twoParts, category_id: 1, attributes },
      { segmentation: onePart },
      { segmentation: [[0, 0, 5, 0, 5, 5]] },
    ])
    const bytes = JSON.stringify(document)
    const target = targetOf(labels, twoFrames())

    const { shapes, report } = await importBytes(coco, bytes, target, { conv_mask_to_poly: true })

    expect(shapes.map(({ type, group, points }) => [type, group, points])).toEqual([
      ['polygon', 1, [3, 4, 4, 4, 4, 6, 3, 6]],
      ['polygon', 1, [5, 4, 6, 4, 6, 5, 5, 5]],
      ['polygon', 0, [3, 4, 4, 4, 4, 5, 3, 5]],
      ['polygon', 0, [0, 0, 5, 0, 5, 5]],
    ])
    for (const part of shapes.slice(0, 2))
      expect(part).toMatchObject({ occluded: true, attributes: [{ spec_id: 1, value: 'blue' }] })
    expect(report).toMatchObject({
      created: { shapes: 4 },
      converted: 2,
      entries: [
        {
          kind: 'converted',
          code: 'dropped-shape-type',
          count: 2,
          reason: 'masks are read as polygons',
          examples: [{ item: 'annotation 1' }, { item: 'annotation 2' }],
        },
      ],
    })
  })

  test('keeps the keyframes of a track when its masks become polygons', async () => {
    const attributes = { track_id: 7, keyframe: true }
    const segmentation = { counts: [244, 1, 7755], size: [80, 100] }
    const document = documentOf([
      { segmentation, attributes },
      { segmentation, attributes, image_id: 2 },
    ])
    const target = targetOf(labels, twoFrames())
    const { tracks } = await importBytes(coco, JSON.stringify(document), target, {
      conv_mask_to_poly: true,
    })
    const points = [3, 4, 4, 4, 4, 5, 3, 5]
    expect(tracks.map((track) => track.shapes)).toMatchObject([
      [
        { type: 'polygon', frame: 0, keyframe: true, points },
        { type: 'polygon', frame: 1, keyframe: true, points },
      ],
    ])
  })

  test('groups the rings of an object, with group numbers from 1 on each frame', async () => {
    const ring = [0, 0, 5, 0, 5, 5]
    const { shapes } = await importAnnotations([
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

  test('skips shapes without area and reports them', async () => {
    const { shapes, report } = await importAnnotations([
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

  test('reports unknown attributes and duplicate ids', async () => {
    const { shapes, report } = await importAnnotations([
      {
        id: 7,
        bbox: [1, 2, 3, 4],
        attributes: { wheels: 4, occluded: 'yes', color: 'green' },
        category_id: 1,
      },
      { id: 7, bbox: [1, 2, 3, 4] },
      { id: 'x', bbox: [1, 2, 3, 4] },
      { id: 'x', bbox: [1, 2, 3, 4] },
    ])
    expect(shapes).toHaveLength(4)
    expect(shapes[0]).toMatchObject({
      occluded: true,
      attributes: [{ spec_id: 1, value: 'green' }],
    })
    expect(report.entries.map(({ code, reason, count }) => [code, reason, count])).toEqual([
      ['dropped-attribute', "attribute 'wheels' unknown on label 'car'", 1],
      ['duplicate-entry', 'an id is given twice, both are read', 2],
    ])
  })

  test('does not read an attribute from the object prototype', async () => {
    const builtin = labelOf({
      name: 'bus',
      attributes: [createSpec({ id: 9, name: 'constructor' })],
    })
    const document = {
      images: [{ id: 1, file_name: 'a.jpg' }],
      categories: [{ id: 1, name: 'bus' }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 2, 3, 4], attributes: {} }],
    }
    const target = targetOf([builtin], framesOf(['a.jpg']))
    const { shapes } = await importBytes(coco, JSON.stringify(document), target)
    expect(shapes.map(({ attributes }) => attributes)).toEqual([[]])
  })

  test('reads null attributes as missing', async () => {
    const attributes = { occluded: null, rotation: null, track_id: null, keyframe: null }
    const { shapes, tracks } = await importAnnotations([{ bbox: [1, 2, 3, 4], attributes }])
    expect(shapes).toMatchObject([{ occluded: false, rotation: 0 }])
    expect(tracks).toEqual([])
  })

  test('keeps known sources; unknown ones become manual and are reported, missing ones become file', async () => {
    const given = ['auto', 'Ground truth', 'Ground truth', 'elsewhere', 7, '', null, undefined]
    const { shapes, report } = await importAnnotations(
      given.map((source) => ({ bbox: [1, 2, 3, 4], attributes: { source } })),
    )
    expect(shapes.map(({ source }) => source)).toEqual([
      'auto',
      'manual',
      'manual',
      'manual',
      'manual',
      'file',
      'file',
      'file',
    ])
    const entry = { kind: 'converted', code: 'unknown-source' }
    expect(report.entries).toMatchObject([
      { ...entry, count: 2, reason: 'the source "Ground truth" is unknown, it becomes manual' },
      { ...entry, count: 1, reason: 'the source "elsewhere" is unknown, it becomes manual' },
      { ...entry, count: 1, reason: 'the source "7" is unknown, it becomes manual' },
    ])
  })

  test('ignores objects of the category background, and reports objects of category 0 as unlabelled', async () => {
    const { shapes, report } = await importCocoDocument({
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

  test('ignores frames outside the job', async () => {
    const target = targetOf(labels, framesOf(['a.jpg', 'b/c.jpg']))
    target.frames.includes = (frame) => frame === 1
    const text = JSON.stringify(
      documentOf([{ bbox: [1, 2, 3, 4] }, { bbox: [1, 2, 3, 4], image_id: 2 }]),
    )
    const { shapes, report } = await importBytes(coco, text, target)
    expect(shapes.map(({ frame }) => frame)).toEqual([1])
    expect(report.entries).toMatchObject([{ code: 'frame-outside-job', count: 1 }])
  })

  test('reports progress up to 1', async () => {
    const { progress } = await importAnnotations([{ bbox: [1, 2, 3, 4] }])
    expect(progress.at(-1)).toBe(1)
  })

  test('skips a box of a skeleton label', async () => {
    const person = labelOf({ id: 41, name: 'road', type: 'skeleton' })
    const text = JSON.stringify(documentOf([{ bbox: [1, 2, 3, 4] }]))
    const { shapes, report } = await importBytes(
      coco,
      text,
      targetOf([person], framesOf(['a.jpg'])),
    )
    expect([shapes.length, report.skipped]).toEqual([0, 1])
  })

  test.each([
    'a.jpg',
    './a.jpg',
    '/a.jpg',
    'images/val/a.jpg',
    'images\\val\\a.jpg',
    'images/a.jpg',
    'val/a.jpg',
    'JPEGImages/a.jpg',
    'https://host/somewhere/a.jpg',
  ])('finds the frame of %s although another frame has the same base name', async (file_name) => {
    const document = { ...documentOf([{ bbox: [1, 2, 3, 4] }]), images: [{ id: 1, file_name }] }
    const bytes = await zipOf({ 'annotations/instances_val.json': JSON.stringify(document) })
    const target = targetOf(labels, framesOf(['other/a.jpg', 'a.jpg']))
    const { shapes } = await importBytes(coco, bytes, target)
    expect(shapes.map(({ frame }) => frame)).toEqual([1])
  })

  test('reads the rotation of a box, but not outside, the rotation of rings, or the track of several rings', async () => {
    const ring = [0, 0, 5, 0, 5, 5]
    const { shapes, tracks, report } = await importAnnotations([
      { bbox: [1, 2, 3, 4], attributes: { outside: true, rotation: 30, score: 0.5 } },
      { segmentation: [ring], attributes: { rotation: 30 } },
      { segmentation: [ring, ring], attributes: { track_id: 1, keyframe: true } },
    ])
    expect(shapes.map(({ outside, rotation, score }) => [outside, rotation, score])).toEqual([
      [false, 30, 0.5],
      [false, 0, 1],
      [false, 0, 1],
      [false, 0, 1],
    ])
    expect([tracks.length, report.entries.map(({ code }) => code)]).toEqual([
      0,
      ['unsupported-rotation', 'merged-group'],
    ])
  })

  test('ignores the rotation of a mask', async () => {
    const segmentation = { counts: [244, 1, 79, 1, 7675], size: [80, 100] }
    const { shapes, report } = await importAnnotations([
      { segmentation, attributes: { rotation: 15 } },
    ])
    expect(shapes.map(({ type, rotation }) => [type, rotation])).toEqual([['mask', 0]])
    expect(report.entries).toEqual([])
  })

  test('keeps iscrowd when the label has the attribute is_crowd', async () => {
    const attributes = [createSpec({ id: 9, name: 'is_crowd', input_type: 'checkbox' })]
    const known = [labelOf({ id: 41, name: 'road', attributes })]
    const segmentation = [[0, 0, 5, 0, 5, 5]]
    const annotations = [
      { segmentation, iscrowd: 1 },
      { segmentation, iscrowd: 0 },
      { segmentation, iscrowd: 0, attributes: { is_crowd: true } },
      { segmentation },
    ]
    const text = JSON.stringify(documentOf(annotations))
    const { shapes } = await importBytes(coco, text, targetOf(known, twoFrames()))
    expect(shapes.map((shape) => shape.attributes.map(({ value }) => value))).toEqual([
      ['true'],
      ['false'],
      ['true'],
      [],
    ])
  })
})
