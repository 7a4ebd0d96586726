import { describe, expect, test } from 'vitest'
import { exportCocoStreams, labels } from '../../testing/coco.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
} from '../../testing/run.ts'
import { coco } from '../coco.ts'

describe('a COCO export that is imported again', () => {
  test('keeps boxes, polygons, masks, groups, flags and attributes', async () => {
    const shapes = [
      shapeOf({
        label_id: 40,
        rotation: 33.3,
        occluded: true,
        attributes: [
          { spec_id: 1, value: 'blue' },
          { spec_id: 2, value: '2' },
          { spec_id: 3, value: 'true' },
        ],
      }),
      shapeOf({ label_id: 41, type: 'polygon', points: [0.5, 0.25, 50, 3, 20.75, 40], group: 1 }),
      shapeOf({ label_id: 41, type: 'polygon', points: [60, 60, 70, 60, 70, 70.5], group: 1 }),
      shapeOf({
        label_id: 41,
        type: 'mask',
        frame: 1,
        points: [0, 3, 1, 2, 6, 6, 8, 7],
        score: 0.25,
      }),
    ]
    const { bytes: archive } = await exportCocoStreams({ shapes })
    const again = await importBytes(coco, archive, targetOf(labels, framesOf(['a.jpg', 'b/c.jpg'])))
    expect(again.shapes).toEqual(shapes)
    expect(again.report).toMatchObject({ created: { shapes: 4 }, skipped: 0, entries: [] })
  })

  test('keeps the keyframes of a track, including the outside one at the start of a gap', async () => {
    const frames = framesOf(Array.from({ length: 12 }, (_, index) => `${index}.jpg`))
    const track = trackOf(
      [
        trackShapeOf({
          frame: 1,
          points: [0, 0, 10, 10],
          attributes: [{ spec_id: 3, value: 'true' }],
        }),
        trackShapeOf({
          frame: 5,
          points: [40, 0, 50, 10],
          occluded: true,
          attributes: [{ spec_id: 3, value: 'false' }],
        }),
        trackShapeOf({
          frame: 6,
          points: [40, 0, 50, 10],
          outside: true,
          occluded: true,
          attributes: [{ spec_id: 3, value: 'false' }],
        }),
        trackShapeOf({
          frame: 9,
          points: [0, 7, 10, 17],
          attributes: [{ spec_id: 3, value: 'false' }],
        }),
      ],
      {
        label_id: 40,
        attributes: [
          { spec_id: 1, value: 'red' },
          { spec_id: 2, value: '4' },
        ],
      },
    )
    const dataset = datasetOf(labels, frames, { tracks: [track] })
    const { bytes: archive, report } = await exportBytes(coco.exporter, dataset)
    expect(report.created.shapes).toBe(8)
    const again = await importBytes(coco, archive, targetOf(labels, frames))
    expect(again.tracks).toEqual([track])
    expect(again.shapes).toEqual([])
  })
})
