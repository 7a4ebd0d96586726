import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { labels as known } from '../../testing/coco.ts'
import { collectAll, createRun, framesOf, targetOf, zipOf } from '../../testing/run.ts'
import { openLabelMeDataset } from './dataset.ts'

const opened = async (files: Record<string, string>) =>
  openLabelMeDataset(sourceOf(await zipOf(files)), createRun().run)

function document({
  filename = 'a.jpg',
  folder = '',
  name = 'road',
  attributes = '',
} = {}): string {
  const points = '<pt><x>1</x><y>1</y></pt><pt><x>5</x><y>1</y></pt><pt><x>5</x><y>9</y></pt>'
  const object = `<object><name>${name}</name><polygon>${points}</polygon><attributes>${attributes}</attributes></object>`
  return `<annotation><filename>${filename}</filename><folder>${folder}</folder>${name ? object : ''}</annotation>`
}

describe('a LabelMe dataset with images', () => {
  test('has a subset for each folder, with images under their paths below that folder', async () => {
    const { subsets, labels } = await opened({
      'train/a.xml': document(),
      'train/a.jpg': 'x',
      'train/b/c.xml': document({ filename: 'c.png', folder: 'b', name: 'car' }),
      'train/b/c.png': 'x',
      'train/Masks/a.jpg': 'x',
      'val/a.xml': document({ name: '' }),
      'val/a.jpg': 'x',
    })
    expect(subsets.map(({ name, images }) => [name, images])).toEqual([
      [
        'train',
        [
          { name: 'a.jpg', member: 'train/a.jpg' },
          { name: 'b/c.png', member: 'train/b/c.png' },
        ],
      ],
      ['val', [{ name: 'a.jpg', member: 'val/a.jpg' }]],
    ])
    expect(labels.map(({ name }) => name)).toEqual(['road', 'car'])
  })

  test('is imported into frames of those names', async () => {
    const { subsets } = await opened({
      'train/a.xml': document(),
      'train/a.jpg': 'x',
      'val/x/c.xml': document({ filename: 'c.jpg', folder: 'x' }),
      'val/x/c.jpg': 'x',
    })
    const [, subset] = subsets
    if (!subset) throw new Error('a subset')
    const frames = framesOf(['first.jpg', ...subset.images.map(({ name }) => name)])
    const read = await collectAll(
      subset.importAnnotations(targetOf(known, frames), createRun().run),
    )
    expect(read).toMatchObject([{ kind: 'shape', shape: { frame: 1, label_id: 41 } }])
  })

  test.each<[string, string, string, string]>([
    ['flat', 'a.xml', 'a.jpg', 'default'],
    ['of one subset', 'train/a.xml', 'train/a.jpg', 'train'],
    ['of one subset in a folder', 'set/train/a.xml', 'set/train/a.jpg', 'train'],
    ['as the tool has them', 'Annotations/s/a.xml', 'Images/s/a.jpg', 'default'],
    ['anywhere', 'train/a.xml', 'pictures/of/all/a.jpg', 'train'],
  ])('finds its image in this layout: %s', async (_, path, member, subset) => {
    const folder = path.includes('/s/') ? 's' : 'a collection'
    const { subsets } = await opened({ [path]: document({ folder }), [member]: 'x', 'b.jpg': 'x' })
    const name = folder === 's' ? 's/a.jpg' : 'a.jpg'
    expect(subsets.map(({ name, images }) => [name, images])).toEqual([
      [subset, [{ name, member }]],
    ])
  })

  test('derives the attributes of its labels from their values', async () => {
    const { labels } = await opened({
      'a.xml': document({ attributes: 'wet, lanes=2, name="7", rotation=0.0, parked=True' }),
      'a.jpg': 'x',
    })
    expect(labels).toEqual([
      {
        name: 'road',
        attributes: [
          { name: 'wet', input_type: 'checkbox', mutable: false, values: [] },
          { name: 'lanes', input_type: 'number', mutable: false, values: ['2', '2', '1'] },
          { name: 'name', input_type: 'text', mutable: false, values: [] },
          { name: 'parked', input_type: 'checkbox', mutable: false, values: [] },
        ],
      },
    ])
  })

  test.each([
    ['its images', { 'a.xml': document() }, 'subset default: none of its images'],
    [
      'an image that has annotations',
      { 'a.xml': document(), 'b.xml': document({ filename: 'b.jpg', name: '' }), 'b.jpg': 'x' },
      'subset default: 1 images that have annotations are not in the archive: a.jpg',
    ],
  ])('is refused without %s', async (_, files, message) => {
    await expect(opened(files as Record<string, string>)).rejects.toThrow(message)
  })
})
