import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { readJpegSize } from '../../image/jpeg-size.ts'
import { createReport } from '../../report/conversion-report.ts'
import { importBytes, labelOf, targetOf } from '../../testing/run.ts'
import { tfrecord } from '../tfrecord.ts'

const fixtures = new URL('../../../../../../shared/fixtures/formats/tfrecord/', import.meta.url)
const hasFixtures = existsSync(fixtures)

describe.skipIf(!hasFixtures)('TFRecord files of other tools in ../shared/fixtures', () => {
  const bytes = hasFixtures
    ? readFileSync(new URL('dm_tfrecord_train_test.zip', fixtures))
    : Buffer.alloc(0)
  const labels = [...Array(10).keys()].map((id) => labelOf({ id, name: `label_${id}` }))
  const frames = [
    { frame: 0, path: '1.jpg', width: 16, height: 16 },
    { frame: 1, path: '3.jpg', width: 4, height: 5 },
  ]

  test('are imported with their boxes, without the unlabelled one', async () => {
    const { shapes, report } = await importBytes(tfrecord, bytes, targetOf(labels, frames))
    expect(shapes).toMatchObject([
      { frame: 0, label_id: 2, type: 'rectangle', points: [0, 4, 4, 12] },
      { frame: 0, label_id: 3, type: 'rectangle', points: [0, 4, 4, 8] },
    ])
    expect(shapes).toHaveLength(2)
    expect(report.entries).toMatchObject([{ code: 'unlabelled', count: 1 }])
  })

  test('are imported with their images', async () => {
    const run = {
      report: createReport(),
      signal: new AbortController().signal,
      progress: () => undefined,
    }
    const dataset = await tfrecord.importer?.openDataset?.(sourceOf(bytes), run)
    expect(dataset?.labels.map(({ name }) => name)).toEqual(labels.map(({ name }) => name))
    const images = []
    for (const { name, embedded } of dataset?.subsets ?? [])
      for await (const image of embedded?.() ?? [])
        images.push([name, image.name, readJpegSize(image.content)])
    expect(images).toEqual([
      ['test', '3.jpg', { width: 4, height: 5 }],
      ['train', '1.jpg', { width: 16, height: 16 }],
    ])
  })
})
