import { cropArea } from '@reticle/geometry'
import { describe, expect, test } from 'vitest'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  targetOf,
  textsOf,
} from '../../testing/run.ts'
import { hasFixtures, readFixture, streetTask } from '../../testing/street.ts'
import { labelMe } from '../labelme.ts'

describe.skipIf(!hasFixtures)('LabelMe files in ../shared/fixtures', () => {
  const names = ['window', 'license plate', 'o1', 'q1', 'b1', 'm1', 'hg']
  const labels = names.map((name, id) => labelOf({ id, name }))
  const read = (conv_mask_to_poly: boolean) => {
    const target = targetOf(labels, framesOf(['img1.png'], 102, 77))
    const bytes = readFixture('formats/labelme/dm_labelme.zip')
    return importBytes(labelMe, bytes, target, { conv_mask_to_poly })
  }

  test('an archive of the web tool is imported with its 7 objects', async () => {
    const { shapes } = await read(false)
    const vertices = (points: readonly number[]) => points.length / 2
    expect(
      shapes.map(({ type, label_id, points, group, occluded }) => [
        names[label_id],
        type,
        group,
        occluded,
        ...(type === 'mask' ? [cropArea(points)] : []),
        ...(type === 'polygon' ? [vertices(points)] : []),
        ...(type === 'rectangle' ? points : []),
      ]),
    ).toEqual([
      ['window', 'polygon', 0, false, 4],
      ['license plate', 'mask', 0, false, 10],
      ['o1', 'polygon', 1, true, 7],
      ['q1', 'polygon', 1, false, 6],
      ['b1', 'rectangle', 1, true, 13, 19, 23, 30],
      ['m1', 'mask', 2, false, 130],
      ['hg', 'polygon', 2, false, 6],
    ])
  })

  test('masks of the archive become polygons on request', async () => {
    const { shapes } = await read(true)
    expect(shapes.every(({ type }) => type !== 'mask')).toBe(true)
    expect(shapes.find(({ label_id }) => names[label_id] === 'm1')?.group).toBe(2)
  })
})

describe.skipIf(!hasFixtures)('exports of the de-facto standard in ../shared/fixtures', () => {
  test.each(['shapes', 'tracks'])(
    'a task of %s is exported with the same documents',
    async (kind) => {
      const isShapes = kind === 'shapes'
      const { labels, frames, shapes, tracks } = streetTask(
        isShapes ? 'Batch 1: shapes' : 'Batch 2: tracks',
      )
      const name = isShapes ? 'Train' : 'Validation'
      const dataset = datasetOf(labels, frames, { shapes, tracks }, { name })
      const { files } = await exportBytes(labelMe.exporter, dataset)
      const theirs = await textsOf(readFixture(`exports/labelme_3.0.${kind}.zip`))
      expect(Object.keys(files).sort()).toEqual(Object.keys(theirs).sort())
      for (const [path, text] of Object.entries(files)) {
        if (path.endsWith('.xml'))
          expect(comparable(text), path).toBe(comparable(theirs[path] ?? ''))
      }
    },
  )

  test('a CVAT export is imported with the same shapes', async () => {
    const { labels, frames } = streetTask('Batch 1: shapes')
    const bytes = readFixture('exports/labelme_3.0.shapes.zip')
    const { shapes } = await importBytes(labelMe, bytes, targetOf(labels, frames), {
      conv_mask_to_poly: false,
    })
    expect(shapes.map(({ frame, type }) => [frame, type])).toEqual([
      [0, 'rectangle'],
      [0, 'rectangle'],
      [1, 'polygon'],
      [2, 'mask'],
      [3, 'mask'],
      [3, 'mask'],
      [4, 'mask'],
      [7, 'rectangle'],
    ])
  })
})

/**
 * Removes differences: CVAT names another source, writes all numbers as floats, and writes a rotation that the mask
 * already contains.
 */
const comparable = (text: string): string =>
  text
    .replace('Datumaro', 'Service')
    .replace(/(doors=\d+)\.0/g, '$1')
    .replace('<attributes>rotation=15.0</', '<attributes></')
