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
import { mot } from '../mot.ts'

const fixtures = new URL('../../../../../../shared/fixtures/', import.meta.url)
const hasFixtures = existsSync(fixtures)
const read = (path: string): Buffer => readFileSync(new URL(path, fixtures))

test.skipIf(!hasFixtures)('a sequence of another tool gives its box', async () => {
  const labels = Array.from({ length: 10 }, (_, id) => labelOf({ id, name: `label_${id}` }))
  const bytes = read('formats/mot/dm_mot_seq.zip')
  const { imported, report } = await importBytes(mot, bytes, targetOf(labels, framesOf(['1.jpg'])))
  expect(imported).toEqual([
    { kind: 'shape', shape: shapeOf({ label_id: 2, points: [0, 4, 4, 12] }) },
  ])
  expect(report.entries).toEqual([])

  const run = { report: createReport(), signal: new AbortController().signal }
  const set = await mot.importer?.openDataset?.(sourceOf(bytes), { ...run, progress() {} })
  expect(set?.labels).toHaveLength(10)
  expect(set?.subsets).toMatchObject([{ name: 'default', images: [{ name: '000001.jpg' }] }])
})

describe.skipIf(!hasFixtures)('exports of the de-facto standard in ../shared/fixtures', () => {
  const facts = hasFixtures ? JSON.parse(read('exports/facts.json').toString()) : {}
  const labels: DatasetLabel[] = (facts.labels ?? [])
    .filter(({ parent_id }: { parent_id?: number }) => !parent_id)
    .toSorted((a: DatasetLabel, b: DatasetLabel) => a.id - b.id)

  test.each([
    ['Batch 1: shapes', 'mot_1.1.shapes.zip', -1],
    ['Batch 2: tracks', 'mot_1.1.tracks.zip', 17],
  ])('the export of %s equals the CVAT export', async (task, file, deleted) => {
    const { files } = await exported(task, deleted)
    const theirs = await textsOf(read(`exports/${file}`))
    expect(rowsOf(files['gt/gt.txt'])).toEqual(
      rowsOf(theirs['gt/gt.txt']).map((row) => withGap(row, deleted)),
    )
    expect(Object.keys(files).toSorted()).toEqual(Object.keys(theirs).toSorted())
  })

  test('a CVAT export is imported with its tracks and shapes', async () => {
    const target = targetOf(labels, framesOf(streetNames(19), 320, 240))
    const { tracks, shapes } = await importBytes(mot, read('exports/mot_1.1.tracks.zip'), target)
    expect(shapes).toHaveLength(1)
    expect(tracks).toHaveLength(1)
    const outside = tracks[0]?.shapes.filter((shape) => shape.outside)
    expect(outside?.map(({ frame }) => frame)).toEqual([12])
  })

  function exported(task: string, deleted: number) {
    const { size, annotations } = facts.tasks[task]
    const frames = framesOf(streetNames(size), 320, 240).filter(({ frame }) => frame !== deleted)
    const shapes = annotations.shapes
      .map(shapeOf)
      .toSorted((a: { frame: number }, b: { frame: number }) => a.frame - b.frame)
    const tracks: DatasetTrack[] = annotations.tracks.map(withKeyframes)
    return exportBytes(mot.exporter, datasetOf(labels, frames, { shapes, tracks }))
  }
})

// ---- helpers

function streetNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `street_${String(index).padStart(3, '0')}.jpg`)
}

/** CVAT stores only keyframes as shapes of a track. */
function withKeyframes(track: DatasetTrack): DatasetTrack {
  return { ...track, shapes: track.shapes.map((shape) => ({ ...shape, keyframe: true })) }
}

const rowsOf = (text = ''): string[] => text.split(/\r?\n/).filter((row) => row !== '')

/** CVAT closes the gap of a deleted frame; this export keeps it. */
function withGap(row: string, deleted: number): string {
  const [frame, ...rest] = row.split(',')
  const isBehind = deleted >= 0 && Number(frame) > deleted
  return [Number(frame) + Number(isBehind), ...rest].join()
}
