import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { createSpec, documentOf, importText, twoFrames } from '../../testing/coco.ts'
import { importBytes, labelOf, targetOf, zipOf } from '../../testing/run.ts'
import { coco } from '../coco.ts'

describe('a COCO archive layout', () => {
  const text = JSON.stringify(documentOf([{ bbox: [1, 2, 3, 4] }]))
  const other = JSON.stringify(documentOf([{ bbox: [5, 6, 7, 8] }]))
  const layouts: [string, Record<string, string>, number][] = [
    ['as the data set is', { 'annotations/instances_val.json': text }, 1],
    ['in a folder', { 'my export/annotations/instances_val.json': text }, 1],
    [
      'in subsets',
      { 'annotations/instances_a.json': text, 'annotations/instances_b.json': other },
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
      'with one task of several that have no instances',
      { 'annotations/person_keypoints_a.json': text, 'annotations/stuff_a.json': text },
      1,
    ],
    ['with stuff only', { 'annotations/stuff_a.json': text }, 1],
    [
      "with a file of one's own beside those of other tasks",
      { 'annotations/mine.json': text, 'annotations/person_keypoints_a.json': '{}' },
      1,
    ],
    [
      'beside the images',
      { 'train/_annotations.coco.json': text, 'valid/_annotations.coco.json': other },
      2,
    ],
    ['anyhow', { 'x/labels.json': text, 'x/other.json': '{"a":1}', 'broken.json': '{' }, 1],
  ]
  test.each(layouts)('is accepted: %s', async (_, files, count) => {
    const { shapes } = await importText(await zipOf(files))
    expect(shapes).toHaveLength(count)
  })

  test('is accepted with other files, which are reported as ignored', async () => {
    const files = { 'annotations/instances_a.json': text, 'annotations/captions_a.json': '{}' }
    const { report } = await importText(await zipOf(files))
    expect(report.entries).toMatchObject([
      { code: 'ignored-file', examples: [{ file: 'annotations/captions_a.json' }] },
    ])
  })
})

describe('a panoptic file', () => {
  const segments = [
    { id: 7, category_id: 2, iscrowd: 0 },
    { id: 256, category_id: 2, iscrowd: 0 },
  ]
  const annotation = { image_id: 1, file_name: 'a.png', segments_info: segments }
  const document = { ...documentOf([]), annotations: [annotation] }

  test('is imported as one mask for each colour of its images', async () => {
    const data = Buffer.alloc(100 * 80 * 3)
    data[0] = 7
    data[3] = 7
    data[100 * 3 + 1] = 1
    const picture = await sharp(data, { raw: { width: 100, height: 80, channels: 3 } })
      .png()
      .toBuffer()
    const { shapes } = await importText(await panoptic({ 'panoptic_a/a.png': picture }))
    expect(shapes.map(({ type, points }) => [type, points])).toEqual([
      ['mask', [0, 2, 0, 0, 1, 0]],
      ['mask', [0, 1, 0, 1, 0, 1]],
    ])
  })

  test('marks crowd segments', async () => {
    const create = { width: 100, height: 80, channels: 3, background: '#070000' } as const
    const attributes = [createSpec({ id: 9, name: 'is_crowd', input_type: 'checkbox' })]
    const road = labelOf({ id: 41, name: 'road', attributes })
    const crowd = { ...annotation, segments_info: [{ id: 7, category_id: 2, iscrowd: 1 }] }
    const bytes = await zipOf({
      'annotations/panoptic_a.json': JSON.stringify({ ...document, annotations: [crowd] }),
      'annotations/panoptic_a/a.png': await sharp({ create }).png().toBuffer(),
    })
    const { shapes } = await importBytes(coco, bytes, targetOf([road], twoFrames()))
    expect(shapes.map((shape) => shape.attributes)).toEqual([[{ spec_id: 9, value: 'true' }]])
  })

  test('is refused when its images are missing or damaged', async () => {
    await expect(importText(await panoptic({}))).rejects.toThrow(
      'annotations/panoptic_a/a.png: the picture is missing',
    )
    await expect(
      importText(await panoptic({ 'panoptic_a/a.png': Buffer.from('GIF') })),
    ).rejects.toThrow('annotations/panoptic_a.json: a.png: the picture cannot be read: ')
  })

  test('is refused when an image has another size than its frame', async () => {
    const create = { width: 4, height: 2, channels: 3, background: 'black' } as const
    const picture = await sharp({ create }).png().toBuffer()
    await expect(importText(await panoptic({ 'panoptic_a/a.png': picture }))).rejects.toThrow(
      'panoptic_a.json: image 1: segment 7: mask of 4 x 2 pixels on a frame of 100 x 80',
    )
  })

  function panoptic(pictures: Record<string, Buffer>): Promise<Buffer> {
    const files = { 'panoptic_a.json': JSON.stringify(document), ...pictures }
    const members = Object.entries(files).map(([name, content]) => [`annotations/${name}`, content])
    return zipOf(Object.fromEntries(members))
  }
})
