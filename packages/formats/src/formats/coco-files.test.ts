import { describe, expect, test } from 'vitest'
import { documentOf, importText } from '../testing/coco.ts'
import { zipOf } from '../testing/run.ts'

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
