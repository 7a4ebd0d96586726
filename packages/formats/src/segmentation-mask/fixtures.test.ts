import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { segmentationMask } from '../formats/segmentation-mask.ts'
import { readPng } from '../image/png.ts'
import type { Label, Track } from '../model.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  membersOf,
  newRun,
  shapeOf,
  targetOf,
} from '../testing/run.ts'

const fixtures = new URL('../../../../../shared/fixtures/', import.meta.url)
const hasFixtures = existsSync(fixtures)
const read = (path: string): Buffer => readFileSync(new URL(path, fixtures))

describe.skipIf(!hasFixtures)('archives of other tools in ../shared/fixtures', () => {
  const voc = 'formats/segmentation_mask/dm_voc_seg_no_labelmap.zip'
  const labels = [labelOf({ id: 2, name: 'bicycle' })]

  test('one object of the VOC data set covers its image', async () => {
    const frames = framesOf(['2007_000001.jpg', '2007_000002.jpg'], 20, 10)
    const target = targetOf(labels, frames)
    const masks = await importBytes(segmentationMask, read(voc), target, {
      conv_mask_to_poly: false,
    })
    expect(masks.shapes).toMatchObject([
      { type: 'mask', frame: 0, label_id: 2, points: [0, 200, 0, 0, 19, 9] },
    ])
    const { shapes } = await importBytes(segmentationMask, read(voc), target)
    expect(shapes).toMatchObject([{ type: 'polygon', points: [0, 0, 20, 0, 20, 10, 0, 10] }])
  })

  test('its lists are the subsets of a project', async () => {
    const dataset = await segmentationMask.importer?.openDataset?.(
      sourceOf(read(voc)),
      newRun().run,
    )
    expect(dataset?.labels.map(({ name }) => name)).toEqual(['bicycle'])
    expect(dataset?.subsets).toMatchObject([
      { name: 'test', images: [{ name: '2007_000002.jpg' }] },
      { name: 'train', images: [{ name: '2007_000001.jpg' }] },
    ])
  })

  test('another layout is refused', async () => {
    const bytes = read('formats/segmentation_mask/dm_common_semantic.zip')
    const attempt = importBytes(segmentationMask, bytes, targetOf(labels, framesOf(['0001.png'])))
    await expect(attempt).rejects.toThrow('no segmentation masks: expected ImageSets/Segmentation/')
  })
})

describe.skipIf(!hasFixtures)('exports of the de-facto standard in ../shared/fixtures', () => {
  const facts = hasFixtures ? JSON.parse(read('exports/facts.json').toString()) : {}
  const labels: Label[] = (facts.labels ?? []).toSorted((a: Label, b: Label) => a.id - b.id)
  const cases = [
    { kind: 'tracks', task: 'Batch 2: tracks', subset: 'Validation', deleted: 17 },
    { kind: 'shapes', task: 'Batch 1: shapes', subset: 'Train', deleted: -1 },
  ]

  test.each(cases)(
    'a task of $kind gives the same classes and objects',
    async ({ kind, task, subset, deleted }) => {
      const { size, annotations } = facts.tasks[task]
      const frames = streetFrames(size).filter(({ frame }) => frame !== deleted)
      const shapes = annotations.shapes.map(shapeOf).map(ellipseOfOurs).toSorted(byFrame)
      const tracks: Track[] = annotations.tracks.map(withKeyframes)
      const dataset = datasetOf(labels, frames, { shapes, tracks }, { name: subset })
      const { bytes } = await exportBytes(segmentationMask.exporter, dataset)
      const ours = await membersOf(bytes)
      const theirs = await membersOf(read(`exports/segmentation_mask_1.1.${kind}.zip`))
      const list = `ImageSets/Segmentation/${subset}.txt`
      expect(ours[list]?.toString()).toBe(theirs[list]?.toString())
      expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort())
      for (const name of Object.keys(theirs).filter((one) => one.endsWith('.png')))
        expect([name, await share(ours[name], theirs[name])]).toEqual([name, expect.closeTo(1, 2)])
      // Theirs has the parts of skeletons among the labels.
      const lines = theirs['labelmap.txt']?.toString().split('\n') ?? []
      const own = lines.filter((line) => !/^(foot|hand|head):/.test(line))
      expect(ours['labelmap.txt']?.toString().split('\n')).toEqual(own)
    },
  )

  test.each(cases)('a task of $kind is imported', async ({ kind, task }) => {
    const target = targetOf(labels, streetFrames(facts.tasks[task].size))
    const bytes = read(`exports/segmentation_mask_1.1.${kind}.zip`)
    const { shapes, report } = await importBytes(segmentationMask, bytes, target, {
      conv_mask_to_poly: false,
    })
    expect(shapes.length).toBe(kind === 'tracks' ? 32 : 6)
    expect(report.entries).toEqual([])
  })
})

/** Of pixels that are alike; the standard draws ellipses with another tool. */
async function share(
  a: Uint8Array = Buffer.alloc(0),
  b: Uint8Array = Buffer.alloc(0),
): Promise<number> {
  const [ours, theirs] = [(await readPng(a, {})).samples, (await readPng(b, {})).samples]
  const alike = ours.filter((sample, at) => sample === theirs[at])
  return alike.length / theirs.length
}

function streetFrames(count: number) {
  const names = Array.from({ length: count }, (_, index) => String(index).padStart(3, '0'))
  return framesOf(
    names.map((name) => `street_${name}.jpg`),
    320,
    240,
  )
}

const byFrame = (a: { frame: number }, b: { frame: number }) => a.frame - b.frame

/** Every stored track shape of theirs is a keyframe. */
function withKeyframes(track: Track): Track {
  return { ...track, shapes: track.shapes.map((shape) => ({ ...shape, keyframe: true })) }
}

/** They store centre, right x and top y. */
function ellipseOfOurs(shape: ReturnType<typeof shapeOf>): ReturnType<typeof shapeOf> {
  const [cx = 0, cy = 0, right = 0, top = 0] = shape.points
  return shape.type === 'ellipse' ? { ...shape, points: [cx, cy, right - cx, cy - top] } : shape
}
