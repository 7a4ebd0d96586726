import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { readPng } from '../../image/png.ts'
import { vocLabels } from '../../masks/label-map.ts'
import { createReport } from '../../report/conversion-report.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  membersOf,
  targetOf,
  textsOf,
} from '../../testing/run.ts'
import { hasFixtures, readFixture, streetTask } from '../../testing/street.ts'
import { voc } from '../voc.ts'
import { openVocDataset } from './dataset.ts'

const asMasks = { conv_mask_to_poly: false }

describe.skipIf(!hasFixtures)('Pascal VOC files in ../shared/fixtures', () => {
  const names = [...vocLabels.map(({ name }) => name), 'ignored']
  const labels = names.map((name, id) => labelOf({ id, name }))
  const twenty = labels.filter(({ name }) => name !== 'background' && name !== 'ignored')

  test('a complete dataset is imported with boxes, a mask and tags', async () => {
    const target = targetOf(twenty, framesOf(['2007_000001.jpg', '2007_000002.jpg'], 20, 10))
    const bytes = readFixture('formats/voc/dm_voc_full.zip')
    const { shapes, imported, report } = await importBytes(voc, bytes, target, asMasks)
    expect(shapes.map(({ type, label_id, points }) => [type, names[label_id], points])).toEqual([
      ['rectangle', 'cat', [1, 2, 3, 4]],
      ['rectangle', 'person', [4, 5, 6, 7]],
      ['mask', 'bicycle', [0, 200, 0, 0, 19, 9]],
    ])
    const tags = imported.flatMap((one) => (one.kind === 'tag' ? names[one.tag.label_id] : []))
    const tagged = 'aeroplane bird bottle car chair diningtable horse person sheep train'
    expect(tags).toEqual(tagged.split(' '))
    const reasons = report.entries.map(({ reason }) => reason)
    expect(reasons).toContain('boxes of parts are not read')
    expect(reasons).toContain("attribute 'walking' unknown on label 'person'")
  })

  test('100 documents in a flat archive are imported with 109 boxes', async () => {
    const bytes = readFixture('formats/voc/raccoon_odd_flat_xml.zip')
    const paths = Object.keys(await membersOf(bytes)).map((name) => name.replace('.xml', '.jpg'))
    const truncated = { id: 1, name: 'truncated', mutable: false, values: [], default_value: '' }
    const raccoon = labelOf({
      name: 'raccoon',
      attributes: [{ ...truncated, input_type: 'checkbox' }],
    })
    const { shapes } = await importBytes(voc, bytes, targetOf([raccoon], framesOf(paths, 650, 417)))
    expect([paths.length, shapes.length]).toEqual([100, 109])
    const cut = shapes.filter(({ attributes }) => attributes[0]?.value === 'true')
    expect(cut).toHaveLength(33)
    const first = paths.indexOf('raccoon-1.jpg')
    expect(shapes.find(({ frame }) => frame === first)?.points).toEqual([81, 88, 522, 408])
  })

  test('documents next to images are imported with 4 boxes and a subset of their images', async () => {
    const bytes = readFixture('formats/voc/roboflow_split_dirs.zip')
    const known = ['label_0', 'label_1'].map((name, id) => labelOf({ id, name }))
    const frames = framesOf(['train_001.jpg', 'train_002.jpg', 'val_001.jpg'], 10, 5)
    const { shapes } = await importBytes(voc, bytes, targetOf(known, frames))
    expect(shapes.map(({ label_id }) => label_id).sort()).toEqual([0, 0, 1, 1])
    expect(shapes.find(({ frame }) => frame === 1)?.points).toEqual([0, 0, 2, 4])
    const signal = new AbortController().signal
    const run = { report: createReport(), signal, progress: () => undefined }
    const { subsets, labels } = await openVocDataset(sourceOf(bytes), run)
    expect(subsets.map(({ images }) => images.map(({ name }) => name))).toEqual([
      ['train/train_001.jpg', 'train/train_002.jpg', 'val/val_001.jpg'],
    ])
    expect(labels.map(({ name }) => name).sort()).toEqual(['label_0', 'label_1'])
  })
})

describe.skipIf(!hasFixtures)('exports of the de-facto standard in ../shared/fixtures', () => {
  const taskOf = (kind: string) =>
    streetTask(kind === 'shapes' ? 'Batch 1: shapes' : 'Batch 2: tracks')

  test.each([
    ['shapes', 'Train'],
    ['tracks', 'Validation'],
  ])('the export of %s equals the documents and lists of CVAT', async (kind, name) => {
    const { labels, frames, shapes, tracks } = taskOf(kind)
    const dataset = datasetOf(labels, frames, { shapes, tracks }, { name })
    const { files } = await exportBytes(voc.exporter, dataset)
    const theirs = await textsOf(readFixture(`exports/pascal_voc_1.1.${kind}.zip`))
    const comparable = (names: string[]) => names.filter((one) => !one.includes(`_${name}`)).sort()
    expect(comparable(Object.keys(files))).toEqual(comparable(Object.keys(theirs)))
    for (const [path, text] of Object.entries(files)) {
      if (/\.xml$|Main/.test(path)) expect(text, path).toBe(withoutFloats(theirs[path] ?? ''))
    }
  })

  test('masks are painted like in the CVAT export', async () => {
    const { labels, frames, shapes } = taskOf('shapes')
    const { bytes } = await exportBytes(
      voc.exporter,
      datasetOf(labels, frames, { shapes }, { name: 'Train' }),
    )
    const ours = await membersOf(bytes)
    const theirs = await membersOf(readFixture('exports/pascal_voc_1.1.shapes.zip'))
    for (const path of Object.keys(theirs).filter((one) => one.endsWith('.png'))) {
      const [own, other] = [ours[path], theirs[path]].map((one) => readPng(one ?? Buffer.of(), {}))
      const [a, b] = [(await own)?.samples ?? [], (await other)?.samples ?? []]
      const wrong = [...a.keys()].filter((at) => a[at] !== b[at])
      const painted = [...b.keys()].filter((at) => b[at] !== 0)
      expect([path, a.length]).toEqual([path, b.length])
      // Ellipses differ in single pixels along the edge.
      expect(wrong.length / painted.length, path).toBeLessThan(0.02)
    }
  })

  test('a CVAT export is imported with its tracks', async () => {
    const { labels, frames } = taskOf('tracks')
    const bytes = readFixture('exports/pascal_voc_1.1.tracks.zip')
    const result = await importBytes(voc, bytes, targetOf(labels, frames))
    expect([result.tracks.length, result.shapes.length]).toEqual([1, 1])
    expect(result.report.entries).toEqual([])
  })
})

/** CVAT writes all numbers as floats. */
const withoutFloats = (text: string): string =>
  text.replace(/(<name>doors<.name>\s*<value>\d+)\.0/g, '$1')
