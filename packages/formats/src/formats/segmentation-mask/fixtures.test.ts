import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { readPng } from '../../image/png.ts'
import {
  createRun,
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  membersOf,
  targetOf,
} from '../../testing/run.ts'
import { hasFixtures, readFixture, streetTask } from '../../testing/street.ts'
import { segmentationMask } from '../segmentation-mask.ts'

describe.skipIf(!hasFixtures)('archives of other tools in ../shared/fixtures', () => {
  const voc = 'formats/segmentation_mask/dm_voc_seg_no_labelmap.zip'
  const labels = [labelOf({ id: 2, name: 'bicycle' })]

  test('one object of the VOC dataset covers its image', async () => {
    const frames = framesOf(['2007_000001.jpg', '2007_000002.jpg'], 20, 10)
    const target = targetOf(labels, frames)
    const masks = await importBytes(segmentationMask, readFixture(voc), target, {
      conv_mask_to_poly: false,
    })
    expect(masks.shapes).toMatchObject([
      { type: 'mask', frame: 0, label_id: 2, points: [0, 200, 0, 0, 19, 9] },
    ])
    const { shapes } = await importBytes(segmentationMask, readFixture(voc), target)
    expect(shapes).toMatchObject([{ type: 'polygon', points: [0, 0, 20, 0, 20, 10, 0, 10] }])
  })

  test('the lists of the VOC dataset become subsets of a project', async () => {
    const dataset = await segmentationMask.importer?.openDataset?.(
      sourceOf(readFixture(voc)),
      createRun().run,
    )
    expect(dataset?.labels.map(({ name }) => name)).toEqual(['bicycle'])
    expect(dataset?.subsets).toMatchObject([
      { name: 'test', images: [{ name: '2007_000002.jpg' }] },
      { name: 'train', images: [{ name: '2007_000001.jpg' }] },
    ])
  })

  test('another layout is refused', async () => {
    const bytes = readFixture('formats/segmentation_mask/dm_common_semantic.zip')
    const attempt = importBytes(segmentationMask, bytes, targetOf(labels, framesOf(['0001.png'])))
    await expect(attempt).rejects.toThrow('no segmentation masks: expected ImageSets/Segmentation/')
  })
})

describe.skipIf(!hasFixtures)('exports of the de-facto standard in ../shared/fixtures', () => {
  const cases = [
    { kind: 'tracks', task: 'Batch 2: tracks', subset: 'Validation' },
    { kind: 'shapes', task: 'Batch 1: shapes', subset: 'Train' },
  ] as const

  test.each(cases)(
    'an export of $kind has the same classes and objects',
    async ({ kind, task, subset }) => {
      const { labels, frames, shapes, tracks } = streetTask(task)
      const dataset = datasetOf(labels, frames, { shapes, tracks }, { name: subset })
      const { bytes } = await exportBytes(segmentationMask.exporter, dataset)
      const ours = await membersOf(bytes)
      const theirs = await membersOf(readFixture(`exports/segmentation_mask_1.1.${kind}.zip`))
      const list = `ImageSets/Segmentation/${subset}.txt`
      expect(ours[list]?.toString()).toBe(theirs[list]?.toString())
      expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort())
      for (const name of Object.keys(theirs).filter((one) => one.endsWith('.png')))
        expect([name, await share(ours[name], theirs[name])]).toEqual([name, expect.closeTo(1, 2)])
      // The CVAT export lists skeleton elements among the labels.
      const lines = theirs['labelmap.txt']?.toString().split('\n') ?? []
      const own = lines.filter((line) => !/^(foot|hand|head):/.test(line))
      expect(ours['labelmap.txt']?.toString().split('\n')).toEqual(own)
    },
  )

  test.each(cases)('a task of $kind is imported', async ({ kind, task }) => {
    const { labels, frames } = streetTask(task)
    const target = targetOf(labels, frames)
    const bytes = readFixture(`exports/segmentation_mask_1.1.${kind}.zip`)
    const { shapes, report } = await importBytes(segmentationMask, bytes, target, {
      conv_mask_to_poly: false,
    })
    expect(shapes.length).toBe(kind === 'tracks' ? 32 : 6)
    expect(report.entries).toEqual([])
  })
})

/** Share of equal pixels; CVAT draws ellipses with another algorithm. */
async function share(
  a: Uint8Array = Buffer.alloc(0),
  b: Uint8Array = Buffer.alloc(0),
): Promise<number> {
  const [ours, theirs] = [(await readPng(a, {})).samples, (await readPng(b, {})).samples]
  const alike = ours.filter((sample, at) => sample === theirs[at])
  return alike.length / theirs.length
}
