import { describe, expect, test } from 'vitest'
import { documentOf, importAnnotations, importText } from '../../testing/coco.ts'
import { zipOf } from '../../testing/run.ts'

describe('a COCO import refuses', () => {
  const box = { id: 17, image_id: 1, category_id: 2, bbox: [1, 2, 3, 4] }
  const noBox = { bbox: undefined }
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
      { segmentation: [[0, 0, 1, 1, 2, 2, 3]], ...noBox },
      'segmentation[0] has 7 values, expected an even number',
    ],
    [
      'a ring of texts',
      { segmentation: [['a']], ...noBox },
      'segmentation[0][0] is "a", expected a finite number',
    ],
    [
      'an odd flat ring',
      { segmentation: [1, 2, 3, 4, 5, 6, 7], ...noBox },
      'segmentation[0] has 7 values, expected an even number',
    ],
    [
      'a text for rings',
      { segmentation: 'x', ...noBox },
      'segmentation is "x", expected rings or runs',
    ],
    ['an unknown image', { image_id: 5 }, 'annotation 17: image_id 5 is none of the images'],
    [
      'an unknown category',
      { category_id: 5 },
      'annotation 17: category_id 5 is none of the categories',
    ],
    ['no image id', { image_id: undefined }, 'annotation 17: image_id is missing'],
    ['a broken id', { image_id: 1.5 }, 'annotation 17: image_id is 1.5, expected an integer'],
    ['an id of nothing', { image_id: 'x' }, 'annotation 17: image_id x is none of the images'],
    [
      'a box further away than anything',
      { bbox: [0, 0, 1e300, 4] },
      'annotation 17: bbox reaches 1e+300, expected coordinates within -10000000 to 10000000',
    ],
    [
      'a ring further away than anything',
      { segmentation: [[0, 0, 1e8, 1, 2, 2]], ...noBox },
      'annotation 17: segmentation[0] reaches 100000000, expected',
    ],
    [
      'points as objects',
      { segmentation: [{ x: 1, y: 2 }], ...noBox },
      'segmentation[0] is {"x":1,"y":2}, expected a list of numbers',
    ],
    [
      'a mask of another size',
      { segmentation: { counts: [200], size: [10, 20] } },
      'annotation 17: mask of 20 x 10 pixels on a frame of 100 x 80',
    ],
    [
      'too long runs',
      { segmentation: { counts: [9000], size: [80, 100] }, ...noBox },
      'runs sum to 9000, the image has 100 x 80 pixels',
    ],
    [
      'a negative run',
      { segmentation: { counts: [5, -1], size: [80, 100] }, ...noBox },
      'segmentation.counts[1] is -1, expected a whole number',
    ],
    [
      'a broken run text',
      { segmentation: { counts: ' ', size: [80, 100] }, ...noBox },
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
      importAnnotations([
        { bbox: [1, 2, 3, 4], attributes },
        { bbox: [2, 2, 3, 4], attributes },
      ]),
    ).rejects.toThrow(
      "annotation 2: a second shape of track 3 of 'road' (rectangle) in annotations.json on frame 0",
    )
  })

  test('labels that the task does not have, and lists all of them', async () => {
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

  test('annotated images without a frame, and names up to ten', async () => {
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

  test('a duplicate image id', async () => {
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

  test('a truncated file, and names the byte', async () => {
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

  test('a number that is invalid in JSON', async () => {
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
