import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import type { DatasetLabel, DatasetTrack } from '../../model/dataset.ts'
import { createReport } from '../../report/conversion-report.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  shapeOf,
  targetOf,
  textsOf,
} from '../../testing/run.ts'
import { yolo } from '../yolo.ts'

const fixtures = new URL('../../../../../../shared/fixtures/', import.meta.url)
const hasFixtures = existsSync(fixtures)
const read = (path: string): Buffer => readFileSync(new URL(path, fixtures))

describe.skipIf(!hasFixtures)('YOLO files of other tools in ../shared/fixtures', () => {
  const labels = Array.from({ length: 10 }, (_, id) => labelOf({ id, name: `label_${id}` }))
  const boxes = [
    { label_id: 2, points: [0, 2, 4, 4] },
    { label_id: 4, points: [3, 3, 5, 6] },
  ]

  test.each([
    ['dm_yolo_strict.zip', ['1.jpg'], ['train']],
    ['dm_yolo_labels_dir_no_obj_data.zip', ['train/1.jpg', 'val/1.jpg'], ['train', 'val']],
    ['ultralytics_detection_names_dict.zip', ['1.jpg'], ['train']],
    ['ultralytics_detection_names_list.zip', ['1.jpg'], ['train']],
  ])('%s is imported with two boxes on each frame', async (file, names, subsets) => {
    const bytes = read(`formats/yolo/${file}`)
    const { shapes, report } = await importBytes(
      yolo,
      bytes,
      targetOf(labels, framesOf(names, 15, 10)),
    )
    const expected = names.flatMap((_, frame) => boxes.map((box) => ({ ...box, frame })))
    expect(shapes).toMatchObject(expected)
    expect(report.entries).toEqual([])

    const run = { report: createReport(), signal: new AbortController().signal }
    const set = await yolo.importer?.openDataset?.(sourceOf(bytes), { ...run, progress() {} })
    expect(set?.labels).toHaveLength(10)
    expect(set?.subsets.map(({ name }) => name)).toEqual(subsets)
    expect(set?.subsets[0]?.images).toMatchObject([{ name: '1.jpg' }])
  })

  test.each([
    ['ultralytics_segmentation.zip', 'labels/train/1.txt: 7 fields'],
    ['ultralytics_pose.zip', 'labels/train/1.txt: 14 fields'],
    ['ultralytics_classification.zip', 'no YOLO annotations'],
  ])('%s is refused', async (file, message) => {
    const target = targetOf(labels, framesOf(['1.jpg']))
    await expect(importBytes(yolo, read(`formats/yolo/${file}`), target)).rejects.toThrow(message)
  })
})

describe.skipIf(!hasFixtures)('exports of the de-facto standard in ../shared/fixtures', () => {
  const facts = hasFixtures ? JSON.parse(read('exports/facts.json').toString()) : {}
  const labels: DatasetLabel[] = (facts.labels ?? [])
    .filter(({ parent_id }: { parent_id?: number }) => !parent_id)
    .toSorted((a: DatasetLabel, b: DatasetLabel) => a.id - b.id)

  test.each([
    ['Batch 1: shapes', 'Train', 'yolo_1.1.shapes.zip', []],
    ['Batch 2: tracks', 'Validation', 'yolo_1.1.tracks.zip', [17]],
  ])('the export of %s equals the CVAT export', async (task, name, file, deleted) => {
    const { size, annotations } = facts.tasks[task]
    const frames = framesOf(streetNames(size), 320, 240).filter(
      ({ frame }) => !deleted.some((one) => one === frame),
    )
    const shapes = annotations.shapes
      .map(shapeOf)
      .toSorted((a: { frame: number }, b: { frame: number }) => a.frame - b.frame)
    const tracks: DatasetTrack[] = annotations.tracks.map(withKeyframes)
    const dataset = datasetOf(labels, frames, { shapes, tracks }, { name })
    const { files } = await exportBytes(yolo.exporter, dataset)
    const theirs = await textsOf(read(`exports/${file}`))
    for (const [path, text] of Object.entries(theirs)) {
      if (/_data\//.test(path)) expect(numbersOf(files[path])).toEqual(numbersOf(text))
      else if (!/^obj\./.test(path)) expect(files[path]).toBe(text)
    }
    expect(Object.keys(files).toSorted()).toEqual(Object.keys(theirs).toSorted())
  })

  test('a CVAT export is imported with its boxes', async () => {
    const sublabels = ['head', 'hand', 'foot'].map((name, id) => labelOf({ id: 9000 + id, name }))
    const target = targetOf([...labels, ...sublabels], framesOf(streetNames(20), 320, 240))
    const { shapes } = await importBytes(yolo, read('exports/yolo_1.1.tracks.zip'), target)
    expect(shapes).toHaveLength(17)
    expect(shapes[0]).toMatchObject({ frame: 0, points: [20, 40, 120, 120] })
  })
})

// ---- helpers

function streetNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `street_${String(index).padStart(3, '0')}.jpg`)
}

/** CVAT stores only keyframes as shapes of a track. */
function withKeyframes(track: DatasetTrack): DatasetTrack {
  return { ...track, shapes: track.shapes.map((shape) => ({ ...shape, keyframe: true })) }
}

/** Lines may be in any order, and the last decimal may differ. */
function numbersOf(text: string | undefined): number[][] | undefined {
  return text
    ?.split('\n')
    .map((line) => line.split(' ').map((number) => Math.round(Number(number) * 100_000)))
    .sort((a, b) => (a[1] ?? 0) - (b[1] ?? 0))
}
