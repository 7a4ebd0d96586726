import { describe, expect, test } from 'vitest'
import { readPng } from '../../image/png.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  membersOf,
  targetOf,
} from '../../testing/run.ts'
import { hasFixtures, readFixture, streetTask } from '../../testing/street.ts'
import { kitti } from '../kitti.ts'

describe.skipIf(!hasFixtures)('archives of other tools in ../shared/fixtures', () => {
  test('boxes of 15 columns are imported without a list of labels', async () => {
    const labels = ['Truck', 'Van'].map((name, id) => labelOf({ id, name }))
    const frames = framesOf(['000030_10.png', '000030_11.png'], 10, 10)
    const bytes = readFixture('formats/kitti/dm_kitti_detection.zip')
    const { shapes, report } = await importBytes(kitti, bytes, targetOf(labels, frames))
    expect(shapes.map(({ frame, label_id, points }) => [frame, label_id, ...points])).toEqual([
      [0, 0, 0, 1, 2, 3],
      [0, 1, 0, 5, 1, 8],
      [1, 1, 0, 0, 2, 2],
      [1, 1, 4, 4, 6, 6],
      [1, 1, 6, 6, 7, 9],
    ])
    const reason = (label: string) => `attribute 'truncated' unknown on label '${label}'`
    expect(report.entries).toMatchObject([{ reason: reason('Truck') }, { reason: reason('Van') }])
  })

  test('masks are imported with the official KITTI classes', async () => {
    const names = ['out of roi', 'truck', 'train', 'wall']
    const labels = names.map((name, id) => labelOf({ id, name }))
    const frames = framesOf(['000030_10.png', '000030_11.png'], 5, 1)
    const bytes = readFixture('formats/kitti/dm_kitti_segmentation.zip')
    const target = targetOf(labels, frames)
    const { shapes } = await importBytes(kitti, bytes, target, { conv_mask_to_poly: false })
    const found = shapes.map(({ frame, label_id }) => `${frame} ${names[label_id]}`)
    expect(found.sort()).toEqual([
      '0 out of roi',
      '0 truck',
      '0 truck',
      '1 out of roi',
      '1 train',
      '1 wall',
    ])
  })
})

describe.skipIf(!hasFixtures)('exports of the de-facto standard in ../shared/fixtures', () => {
  const cases = [
    {
      kind: 'tracks',
      task: 'Batch 2: tracks',
      subset: 'Validation',
      boxes: 17,
      masks: 15,
    },
    { kind: 'shapes', task: 'Batch 1: shapes', subset: 'Train', boxes: 2, masks: 5 },
  ] as const

  test.each(cases)(
    'a $kind export has the same boxes and classes',
    async ({ kind, task, subset }) => {
      const { labels, frames, shapes, tracks } = streetTask(task)
      const { bytes } = await exportBytes(
        kitti.exporter,
        datasetOf(labels, frames, { shapes, tracks }, { name: subset }),
      )
      const ours = await membersOf(bytes)
      const theirs = await membersOf(readFixture(`exports/kitti_1.0.${kind}.zip`))
      expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort())
      const texts = (all: typeof ours) =>
        Object.entries(all).flatMap(([name, text]) =>
          name.includes('label_2') ? [[name, sorted(text)]] : [],
        )
      expect(texts(ours)).toEqual(expect.arrayContaining(texts(theirs)))
      for (const name of Object.keys(theirs).filter((one) => one.includes('semantic_rgb')))
        expect([name, await share(ours[name], theirs[name])]).toEqual([name, expect.closeTo(1, 2)])
      // The CVAT export lists skeleton elements among the labels.
      const own = sorted(theirs['label_colors.txt']).filter(
        (line) => !/(foot|hand|head)$/.test(line),
      )
      expect(sorted(ours['label_colors.txt'])).toEqual(own)
    },
  )

  test.each(cases)('a task of $kind is imported', async ({ kind, task, boxes, masks }) => {
    const { labels, frames } = streetTask(task)
    const target = targetOf(labels, frames)
    const bytes = readFixture(`exports/kitti_1.0.${kind}.zip`)
    const { shapes, report } = await importBytes(kitti, bytes, target, { conv_mask_to_poly: false })
    const count = (type: string) => shapes.filter((shape) => shape.type === type).length
    expect([count('rectangle'), count('mask')]).toEqual([boxes, masks])
    expect(report.entries).toEqual([])
  })
})

const sorted = (text: Uint8Array | undefined): string[] =>
  Buffer.from(text ?? '')
    .toString()
    .split('\n')
    .sort()

/** Share of equal samples; CVAT draws ellipses with another algorithm. */
async function share(
  a: Uint8Array = Buffer.alloc(0),
  b: Uint8Array = Buffer.alloc(0),
): Promise<number> {
  const [ours, theirs] = [(await readPng(a, {})).samples, (await readPng(b, {})).samples]
  return ours.filter((sample, at) => sample === theirs[at]).length / theirs.length
}
