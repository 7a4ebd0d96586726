import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { paletteColor } from '../../image/colors.ts'
import { writeRgbPng } from '../../image/png.ts'
import { collectAll, createRun, framesOf, targetOf, zipOf } from '../../testing/run.ts'
import { attributesText, documentText, labels as known, objectText } from '../../testing/voc.ts'
import { openVocDataset } from './dataset.ts'

const opened = async (files: Record<string, string | Uint8Array>) =>
  openVocDataset(sourceOf(await zipOf(files)), createRun().run)

const one = documentText(objectText())

describe('a Pascal VOC dataset with images', () => {
  test('has the subsets of its lists, with each image in one of them', async () => {
    const { subsets, labels } = await opened({
      'Annotations/a.xml': one,
      'Annotations/b/c.xml': one,
      'ImageSets/Main/train.txt': 'a\nb/c\nmissing',
      'ImageSets/Main/trainval.txt': 'a\nb/c\nmissing\nd',
      'ImageSets/Main/val.txt': 'd',
      'JPEGImages/a.jpg': 'x',
      'JPEGImages/b/c.png': 'x',
      'JPEGImages/d.jpg': 'x',
      'SegmentationClass/missing.png': writeRgbPng(1, 1, [0]),
    })
    expect(subsets.map(({ name, images }) => [name, images])).toEqual([
      [
        'train',
        [
          { name: 'a.jpg', member: 'JPEGImages/a.jpg' },
          { name: 'b/c.png', member: 'JPEGImages/b/c.png' },
        ],
      ],
      ['val', [{ name: 'd.jpg', member: 'JPEGImages/d.jpg' }]],
    ])
    expect(labels).toEqual([{ name: 'road', attributes: [] }])
  })

  test('is imported with its tags into frames of those names', async () => {
    const { subsets } = await opened({
      'Annotations/a.xml': one,
      'Annotations/b.xml': one,
      'ImageSets/Main/train.txt': 'a',
      'ImageSets/Main/val.txt': 'b',
      'ImageSets/Main/car_train.txt': 'a  1',
      'ImageSets/Main/car_val.txt': 'b  1',
      'JPEGImages/a.jpg': 'x',
      'JPEGImages/b.jpg': 'x',
    })
    const [, subset] = subsets
    if (!subset) throw new Error('a subset')
    const frames = framesOf(subset.images.map(({ name }) => name))
    const read = await collectAll(
      subset.importAnnotations(targetOf(known, frames), createRun().run),
    )
    expect(read).toMatchObject([
      { kind: 'shape', shape: { frame: 0, label_id: 41 } },
      { kind: 'tag', tag: { frame: 0, label_id: 40 } },
    ])
  })

  test.each<[string, string, string, string]>([
    ['in their folder', 'Annotations/a.xml', 'JPEGImages/a.jpg', 'a.jpg'],
    ['in their folder in another', 'x/Annotations/a.xml', 'x/JPEGImages/a.jpg', 'a.jpg'],
    ['beside the documents', 'train/a.xml', 'train/a.jpg', 'a.jpg'],
    ['of another extension than they say', 'Annotations/a.xml', 'JPEGImages/a.webp', 'a.webp'],
    ['in another folder', 'annotations/a.xml', 'pictures/a.jpg', 'a.jpg'],
    ['called as they say', 'Annotations/1.xml', 'JPEGImages/a.jpg', '1.jpg'],
    ['beside one of the same name', 'Annotations/a.jpg.xml', 'JPEGImages/a.jpg', 'a.jpg'],
  ])('finds images %s', async (_, document, member, name) => {
    const text = documentText('<filename>a.jpg</filename>', objectText())
    const { subsets } = await opened({ [document]: text, [member]: 'x', 'other/b.jpg': 'x' })
    expect(subsets.flatMap(({ images }) => images)).toContainEqual({ name, member })
  })

  test('has the labels and attributes of its objects and lists', async () => {
    const track = { track_id: '1', keyframe: 'True' }
    const values = (more: Record<string, string>) => attributesText({ rotation: '0.0', ...more })
    const { labels } = await opened({
      'Annotations/a.xml': documentText(
        objectText({ more: `<truncated>1</truncated>${values({ wet: 'True', lanes: '2' })}` }),
        objectText({ more: values({ wet: 'False', lanes: '4.5', name: '007', ...track }) }),
        objectText({ name: 'background' }),
      ),
      'ImageSets/Main/train.txt': 'a',
      'ImageSets/Main/night_train.txt': 'a  1',
      'ImageSets/Main/day_train.txt': 'a -1',
      'JPEGImages/a.jpg': 'x',
    })
    expect(labels).toEqual([
      { name: 'night', attributes: [] },
      {
        name: 'road',
        attributes: [
          { name: 'truncated', input_type: 'checkbox', mutable: false, values: [] },
          { name: 'wet', input_type: 'checkbox', mutable: true, values: [] },
          { name: 'lanes', input_type: 'number', mutable: true, values: ['2', '4.5', '0.01'] },
          { name: 'name', input_type: 'text', mutable: true, values: [] },
        ],
      },
    ])
  })

  test('has declared labels, or else the labels of the colours in its masks', async () => {
    const files = {
      'ImageSets/Segmentation/train.txt': 'a',
      'SegmentationClass/a.png': writeRgbPng(3, 1, [0, paletteColor(2), paletteColor(2)]),
      'JPEGImages/a.jpg': 'x',
    }
    const declared = 'background:0,0,0::\nsky::head,hand:\nroad:0,128,0::\n'
    expect((await opened({ ...files, 'labelmap.txt': declared })).labels).toEqual([
      { name: 'sky', attributes: [] },
      { name: 'road', attributes: [] },
    ])
    expect((await opened(files)).labels).toMatchObject([{ name: 'bicycle', attributes: [] }])
  })

  test.each<[string, Record<string, string | Uint8Array>, string]>([
    [
      'an image that has masks',
      {
        'ImageSets/Segmentation/t.txt': 'a\nb',
        'SegmentationClass/a.png': writeRgbPng(1, 1, [paletteColor(1)]),
        'JPEGImages/b.jpg': 'x',
      },
      'subset t: 1 images that have annotations are not in the archive: a',
    ],
    ['its images', { 'Annotations/a.xml': one }, 'media is required'],
    [
      'an image that has boxes',
      { 'Annotations/a.xml': one, 'Annotations/b.xml': one, 'JPEGImages/b.jpg': 'x' },
      'subset default: 1 images that have annotations are not in the archive: a',
    ],
    [
      'an image that has tags',
      {
        'ImageSets/Main/t.txt': 'a\nb',
        'ImageSets/Main/car_t.txt': 'a  1\nb -1',
        'JPEGImages/b.jpg': 'x',
      },
      'subset t: 1 images that have annotations are not in the archive: a',
    ],
  ])('is refused without %s', async (_, files, message) => {
    await expect(opened(files)).rejects.toThrow(message)
  })
})
