import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import type { DatasetLabel } from '../model/dataset.ts'
import { findImporter } from '../registry.ts'
import { createRun, framesOf, importBytes, labelOf, targetOf, zipOf } from '../testing/run.ts'
import { attributesText, documentText, objectText } from '../testing/voc.ts'
import { openCocoDataset } from './coco/dataset.ts'

/** A file with track ids but without keyframes keeps the identity of its objects. */

const attribute = (id: number, name: string, mutable: boolean) => ({
  id,
  name,
  mutable,
  input_type: 'text',
  values: [],
  default_value: '',
})
const car = labelOf({
  name: 'car',
  attributes: [attribute(1, 'moving', true), attribute(2, 'color', false)],
})
const labels = [car, labelOf({ id: 2, name: 'bus' })]
const frames = framesOf(['a.png', 'b.png', 'c.png', 'd.png'], 100, 50)

function imported(name: string, bytes: Uint8Array | string, known: DatasetLabel[] = labels) {
  const format = findImporter(name)
  if (!format) throw new Error(`no importer ${name}`)
  return importBytes(format, bytes, targetOf(known, frames))
}

const cocoText = (annotations: object[]) =>
  JSON.stringify({
    images: frames.map(({ path }, index) => ({ id: index + 1, file_name: path })),
    categories: labels.map(({ id, name }) => ({ id, name })),
    annotations: annotations.map((one, index) => ({ id: index + 1, category_id: 1, ...one })),
  })
const coco = (annotations: object[]) => imported('COCO 1.0', cocoText(annotations))

const at = (image_id: number, attributes: object, rest: object = {}) => ({
  image_id,
  bbox: [image_id, 1, 9, 9],
  attributes,
  ...rest,
})

describe('a COCO import of track ids', () => {
  test('builds one track from an id on two frames, with its boxes as keyframes', async () => {
    const { shapes, tracks, report } = await coco([at(1, { track_id: 5 }), at(2, { track_id: 5 })])
    expect(shapes).toEqual([])
    expect(tracks).toMatchObject([
      {
        frame: 0,
        shapes: [
          { frame: 0, points: [1, 1, 10, 10], keyframe: true, outside: false },
          { frame: 1, points: [2, 1, 11, 10], keyframe: true, outside: false },
          { frame: 2, outside: true },
        ],
      },
    ])
    expect(report).toMatchObject({ created: { tracks: 1, shapes: 0 }, entries: [] })
  })

  test('hides the track on frames between its boxes, in any order of the file', async () => {
    const { tracks } = await coco([at(4, { track_id: 0 }), at(1, { track_id: 0 })])
    const states = tracks[0]?.shapes.map(({ frame, outside }) => [frame, outside])
    expect(states).toEqual([
      [0, false],
      [1, true],
      [3, false],
    ])
  })

  test('accepts texts as ids, and the field next to the attributes', async () => {
    const given = [at(1, {}, { track_id: 'x' }), at(2, {}, { track_id: 'x' })]
    expect((await coco(given)).tracks).toMatchObject([{ shapes: [{}, {}, {}] }])
    expect((await coco([at(1, { track_id: '7' }), at(2, { track_id: 7 })])).tracks).toHaveLength(1)
  })

  test('builds a track of polygons, and one for each label', async () => {
    const segmentation = [[1, 1, 9, 1, 9, 9]]
    const { tracks } = await coco([
      at(1, { track_id: 1 }, { segmentation }),
      at(2, { track_id: 1 }, { segmentation }),
      at(1, { track_id: 1 }, { category_id: 2 }),
    ])
    expect(tracks).toMatchObject([
      { label_id: 1, shapes: [{ type: 'polygon' }, { type: 'polygon' }, {}] },
      { label_id: 2, shapes: [{ type: 'rectangle' }, {}] },
    ])
  })

  test.each([-1, '-1', '', null])('treats %j as no track', async (track_id) => {
    const { shapes, tracks } = await coco([at(1, { track_id }), at(2, { track_id })])
    expect([shapes.length, tracks.length]).toEqual([2, 0])
  })

  test('reads a second box of an id on a frame as a shape, and reports it', async () => {
    const given = [at(1, { track_id: 5 }), at(1, { track_id: 5 }), at(2, { track_id: 5 })]
    const { shapes, tracks, report } = await coco(given)
    expect([shapes.length, tracks.length]).toEqual([1, 1])
    expect(report.entries).toMatchObject([
      {
        kind: 'converted',
        code: 'duplicate-entry',
        count: 1,
        examples: [{ item: 'annotation 2' }],
      },
    ])
  })

  test('keeps changes of mutable attributes and reports changes of immutable ones', async () => {
    const { tracks, report } = await coco([
      at(1, { track_id: 5, moving: 'yes', color: 'red' }),
      at(2, { track_id: 5, color: 'red' }),
      at(3, { track_id: 5, moving: 'no', color: 'blue' }),
    ])
    expect(tracks[0]?.attributes).toEqual([{ spec_id: 2, value: 'red' }])
    expect(tracks[0]?.shapes.map(({ attributes }) => attributes[0]?.value)).toEqual([
      'yes',
      undefined,
      'no',
      'no',
    ])
    expect(report.entries).toMatchObject([
      { code: 'dropped-attribute', count: 1, examples: [{ item: 'annotation 3' }] },
    ])
  })

  test.each([
    [
      [1, 3],
      ['0 false', '2 false'],
    ],
    [[1], ['0 false', '2 true']],
    [[3], ['2 false']],
  ])(
    'keeps tracks on images %j within the frames of a ground-truth job',
    async (images, states) => {
      const format = findImporter('COCO 1.0')
      if (!format) throw new Error('no importer')
      const { frames: all, labels: known } = targetOf(labels, frames)
      const includes = (frame: number) => frame === 0 || frame === 2
      const target = { labels: known, frames: { ...all, includes } }
      const text = cocoText(images.map((image) => at(image, { track_id: 5 })))
      const { tracks } = await importBytes(format, text, target)
      const shapes = tracks[0]?.shapes.map(({ frame, outside }) => `${frame} ${outside}`)
      expect(shapes).toEqual(states)
    },
  )

  test('makes attributes of such tracks mutable in a project', async () => {
    const given = [at(1, { track_id: 5, speed: 3 }), at(2, { track_id: 5, speed: 4 })]
    const files = { 'annotations/instances_a.json': cocoText(given), 'images/a/a.png': 'x' }
    const more = Object.fromEntries(frames.map(({ path }) => [`images/a/${path}`, 'x']))
    const bytes = await zipOf({ ...files, ...more })
    const dataset = await openCocoDataset(sourceOf(bytes), createRun().run)
    expect(dataset.labels[0]?.attributes).toMatchObject([{ name: 'speed', mutable: true }])
  })
})

test('Pascal VOC builds one track from an id on two images', async () => {
  const one = (track_id: string, left: number) =>
    objectText({ name: 'car', box: [left, 1, 20, 20], more: attributesText({ track_id }) })
  const { shapes, tracks, report } = await imported(
    'Pascal VOC 1.1',
    await zipOf({
      'a.xml': documentText(one('5', 1), one('5', 2)),
      'b.xml': documentText(one('5', 3)),
    }),
  )
  expect(tracks).toMatchObject([{ shapes: [{ points: [1, 1, 20, 20] }, { frame: 1 }, {}] }])
  expect(shapes).toMatchObject([{ frame: 0, points: [2, 1, 20, 20] }])
  expect(report.entries).toMatchObject([{ code: 'duplicate-entry', count: 1 }])
})

test('LabelMe reports that it reads tracks as shapes', async () => {
  const corners = '<pt><x>1</x><y>1</y></pt><pt><x>9</x><y>9</y></pt>'
  const object = `<object><name>car</name><type>bounding_box</type><polygon>${corners}</polygon><attributes>track_id=3</attributes></object>`
  const text = `<annotation><filename>a.png</filename>${object}</annotation>`
  const { shapes, report } = await imported('LabelMe 3.0', await zipOf({ 'a.xml': text }))
  expect(shapes).toHaveLength(1)
  expect(report.entries).toMatchObject([
    { kind: 'converted', reason: 'tracks are read as shapes of frames', count: 1 },
  ])
})

test('MOT reports that it reads detections without tracks', async () => {
  const rows = '1,4,1,2,30,40,0.9\n2,4,2,2,30,40,0.9\n2,-1,2,2,30,40,0.9\n'
  const { shapes, report } = await imported('MOT 1.1', await zipOf({ 'det/det.txt': rows }), [car])
  expect(shapes).toHaveLength(3)
  expect(report.entries).toMatchObject([{ code: 'dropped-shape-type', count: 2 }])
})
