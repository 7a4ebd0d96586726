import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { writeRgbPng } from '../image/png.ts'
import type { DatasetShape, DatasetTrack, Format, ImportTarget } from '../model/dataset.ts'
import { formats } from '../registry.ts'
import { FormatError } from '../report/errors.ts'
import {
  collectAll,
  createRun,
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
} from '../testing/run.ts'

/**
 * An archive of one format that is imported as another must fail, because an import replaces the annotations of its
 * task.
 */

const labels = [labelOf({ id: 5, name: 'car' })]
const picture = writeRgbPng(20, 10, new Array(200).fill(0x405060))
async function* image() {
  yield picture
}
const framesNamed = (...names: string[]) =>
  framesOf(names, 20, 10).map((frame) => ({ ...frame, image }))
const sets = [framesNamed('a.png', 'b.png'), framesNamed('1/0001.png', '2/0002.png')]
const boxes = [shapeOf({ label_id: 5, points: [1, 2, 8, 9] })]
const mask = [shapeOf({ label_id: 5, type: 'mask', points: [0, 6, 1, 2, 3, 4] })]
const tracks = [trackOf([trackShapeOf({ points: [1, 2, 8, 9] })], { label_id: 5 })]

const contents: [string, { shapes?: DatasetShape[]; tracks?: DatasetTrack[] }, boolean][] = [
  ['no objects', {}, false],
  ['boxes', { shapes: boxes }, false],
  ['masks', { shapes: mask }, false],
  ['tracks', { tracks }, false],
  ['boxes and pictures', { shapes: boxes }, true],
  ['masks and pictures', { shapes: mask }, true],
]

const importers = formats.filter(({ importer }) => importer)
const pairs = formats
  .filter(({ exporter }) => exporter)
  .flatMap((from) =>
    importers.map((to): [string, string, Format, Format] => [from.name, to.name, from, to]),
  )
  .filter(([from, to]) => from.split(' ')[0] !== to.split(' ')[0])

/** Pascal VOC shares its folders with Segmentation mask, and its importer reads both. */
const isReadable = (from: string, to: string, kind: string): boolean =>
  (kind.startsWith('masks') && from === 'Pascal VOC 1.1' && to === 'Segmentation mask 1.1') ||
  (kind !== 'no objects' && from === 'Segmentation mask 1.1' && to === 'Pascal VOC 1.1')

describe.each(contents)('an export with %s', (kind, given, saveImages) => {
  const unreadable = pairs.filter(([from, to]) => !isReadable(from, to, kind))

  test.each(unreadable)('of %s fails when imported as %s', async (_, __, from, to) => {
    for (const frames of sets) {
      const target = targetOf(labels, frames)
      const dataset = datasetOf(labels, frames, given, { saveImages })
      const { bytes } = await exportBytes(from.exporter, dataset)
      await expect(importBytes(to, bytes, target)).rejects.toThrow(FormatError)
      await expect(intoProject(to, bytes, target)).rejects.toThrow(FormatError)
    }
  })
})

async function intoProject({ importer }: Format, bytes: Uint8Array, target: ImportTarget) {
  const { run } = createRun()
  const dataset = await importer?.openDataset?.(sourceOf(bytes), run)
  for (const subset of dataset?.subsets ?? [])
    await collectAll(subset.importAnnotations(target, run))
}
