import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { FormatError } from '../../report/errors.ts'
import { documentOf, labels as known } from '../../testing/coco.ts'
import { collectAll, createRun, framesOf, targetOf, zipOf } from '../../testing/run.ts'
import { openCocoDataset } from './dataset.ts'

async function opened(files: Record<string, string | object>, run = createRun().run) {
  const texts = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? content : JSON.stringify(content),
  ])
  return openCocoDataset(sourceOf(await zipOf(Object.fromEntries(texts))), run)
}

const annotation = { bbox: [1, 2, 3, 4], segmentation: [] }
const attributed = (attributes: object, more: object = {}) => ({
  ...annotation,
  attributes,
  ...more,
})

describe('a COCO dataset with images', () => {
  test('has a subset for each file, with its images under their paths below the subset folder', async () => {
    const { subsets, labels } = await opened({
      'annotations/instances_val.json': documentOf([]),
      'annotations/instances_train.json': documentOf([annotation]),
      'images/train/a.jpg': 'x',
      'images/train/b/c.jpg': 'x',
      'images/val/a.jpg': 'x',
    })
    expect(subsets.map(({ name, images }) => [name, images])).toEqual([
      [
        'train',
        [
          { name: 'a.jpg', member: 'images/train/a.jpg' },
          { name: 'b/c.jpg', member: 'images/train/b/c.jpg' },
        ],
      ],
      ['val', [{ name: 'a.jpg', member: 'images/val/a.jpg' }]],
    ])
    expect(labels).toEqual([
      { name: 'car', attributes: [] },
      { name: 'road', attributes: [] },
    ])
  })

  const category = (id: number, name: string, supercategory: string) => ({
    id,
    name,
    supercategory,
  })
  const points = [category(3, 'head', 'person'), category(4, 'hand', 'person')]
  const plain = (...names: string[]) => names.map((name) => ({ name, attributes: [] }))
  const person = {
    name: 'person',
    attributes: [],
    type: 'skeleton',
    sublabels: plain('head', 'hand'),
  }

  test.each([
    ['of points below a skeleton', [category(2, 'person', ''), ...points], [1], [person]],
    ['of points before their skeleton', [...points, category(2, 'person', '')], [1], [person]],
    [
      'of a tree of classes, of which annotations have one',
      [category(2, 'person', ''), ...points],
      [1, 3],
      plain('person', 'head', 'hand'),
    ],
    [
      'of a class with annotations above others',
      [category(2, 'person', ''), ...points],
      [1, 2],
      plain('person', 'head', 'hand'),
    ],
    ['below what is no category', points, [1], plain('head', 'hand')],
    [
      'of a file without annotations',
      [category(2, 'person', ''), ...points],
      [],
      plain('person', 'head', 'hand'),
    ],
    ['below each other', [category(2, 'a', 'b'), category(3, 'b', 'a')], [1], plain('a', 'b')],
  ])('has categories %s', async (_, categories, used, expected) => {
    const annotations = used.map((category_id) => ({ ...annotation, category_id }))
    const document = {
      ...documentOf(annotations),
      categories: [category(1, 'car', ''), ...categories],
    }
    const { labels } = await opened({
      'annotations/instances_train.json': document,
      'images/train/a.jpg': 'x',
    })
    expect(labels).toEqual([...plain('car'), ...expected])
  })

  test('finds images whose names are percent-encoded in the file, under their decoded names', async () => {
    const document = { ...documentOf([annotation]), images: [{ id: 1, file_name: 'a%20b.png' }] }
    const { subsets } = await opened({
      'annotations/instances_train.json': document,
      'images/train/a b.png': 'x',
    })
    expect(subsets[0]?.images).toEqual([{ name: 'a b.png', member: 'images/train/a b.png' }])
  })

  test('is imported into frames of those names', async () => {
    const { subsets } = await opened({
      'annotations/instances_train.json': documentOf([{ ...annotation, image_id: 2 }]),
      'images/b/c.jpg': 'x',
    })
    const [subset] = subsets
    if (!subset) throw new Error('a subset')
    const frames = framesOf(subset.images.map(({ name }) => name))
    const read = await collectAll(
      subset.importAnnotations(targetOf(known, frames), createRun().run),
    )
    expect(read).toMatchObject([{ kind: 'shape', shape: { frame: 0, label_id: 41 } }])
  })

  test.each([
    ['a folder around all of it', 'set/annotations/instances_x.json', 'set/images/x/a.jpg'],
    ['images of all subsets in one folder', 'annotations/instances_x.json', 'images/a.jpg'],
    ['images in a folder of the subset', 'annotations/instances_x.json', 'x/a.jpg'],
    ['images beside their file', 'valid/_annotations.coco.json', 'valid/a.jpg'],
    ['images anywhere', 'annotations/instances_x.json', 'some/where/else/a.jpg'],
  ])('finds its image in this layout: %s', async (_, file, member) => {
    const { subsets } = await opened({
      [file]: { ...documentOf([]), images: [{ id: 1, file_name: 'a.jpg' }] },
      [member]: 'x',
    })
    expect(subsets.map(({ images }) => images)).toEqual([[{ name: 'a.jpg', member }]])
  })

  test('derives the attributes of its labels from their values', async () => {
    const track = { track_id: 1, keyframe: true }
    const { labels } = await opened({
      'annotations/instances_x.json': documentOf([
        attributed({ wet: true, lanes: 2, name: 'A', occluded: true, is_crowd: false }),
        attributed({ wet: 'False', lanes: 4.5, name: 3, none: null, ...track }),
        attributed({ wet: true }, { category_id: 1 }),
      ]),
      'a.jpg': 'x',
    })
    expect(labels).toEqual([
      {
        name: 'car',
        attributes: [{ name: 'wet', input_type: 'checkbox', mutable: false, values: [] }],
      },
      {
        name: 'road',
        attributes: [
          { name: 'wet', input_type: 'checkbox', mutable: true, values: [] },
          { name: 'lanes', input_type: 'number', mutable: true, values: ['2', '4.5', '0.01'] },
          { name: 'name', input_type: 'text', mutable: true, values: [] },
        ],
      },
    ])
  })

  test('leaves out images that are missing from the archive, and files without any image', async () => {
    const run = createRun().run
    const { subsets } = await opened(
      {
        'annotations/instances_x.json': documentOf([annotation]),
        'annotations/instances_none.json': { ...documentOf([]), images: [] },
        'a.jpg': 'x',
      },
      run,
    )
    expect(subsets.map(({ name, images }) => [name, images.length])).toEqual([['x', 1]])
    expect(run.report.read().entries).toMatchObject([
      { code: 'ignored-file', examples: [{ file: 'annotations/instances_none.json' }] },
    ])
  })

  test.each([
    ['its images', { 'annotations/instances_x.json': documentOf([]) }, 'media is required'],
    [
      'an image that has annotations',
      {
        'annotations/instances_x.json': documentOf([{ ...annotation, image_id: 2 }]),
        'a.jpg': 'x',
      },
      '1 images that have annotations are not in the archive: images/b/c.jpg',
    ],
    [
      'any image',
      { 'annotations/instances_x.json': { ...documentOf([]), images: [] } },
      'there are no images',
    ],
  ])('is refused without %s', async (_, files, message) => {
    await expect(opened(files)).rejects.toThrow(message)
  })

  test('is refused unless it is an archive', async () => {
    const bare = openCocoDataset(
      sourceOf(Buffer.from(JSON.stringify(documentOf([])))),
      createRun().run,
    )
    await expect(bare).rejects.toThrow(FormatError)
    await expect(bare).rejects.toThrow('media is required: send a ZIP archive with the images')
  })
})
