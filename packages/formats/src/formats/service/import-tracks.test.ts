import { describe, expect, test } from 'vitest'
import type { ImportTarget } from '../../model/dataset.ts'
import { importBytes, shapeOf, trackShapeOf } from '../../testing/run.ts'
import { framesIn, inTrack } from '../../testing/service.ts'
import { service } from '../service.ts'

const read = (text: string, into: ImportTarget) => importBytes(service, text, into)

describe('tracks of a native import', () => {
  const box = (frame: number, rest = '') =>
    `<box frame="${frame}" xtl="1" ytl="2" xbr="3" ybr="4" ${rest}/>`
  const keyframe = (frame: number, given = {}) =>
    trackShapeOf({ frame, points: [1, 2, 3, 4], ...given })
  const into = framesIn(['0.jpg', '1.jpg', '2.jpg', '3.jpg', '4.jpg', '5.jpg'])

  test('treat a shape without a keyframe attribute as no keyframe when others have it', async () => {
    const shapes = box(0, 'keyframe="1"') + box(1) + box(2, 'keyframe="1"')
    const { tracks } = await read(inTrack(shapes, 'id="0" label="car"'), into)
    expect(tracks.map((track) => track.shapes.map(({ frame }) => frame))).toEqual([[0, 2]])
  })

  test('keep only keyframes with changed values; other values belong to the track', async () => {
    const values = (color: string, parked: string) =>
      `<attribute name="color">${color}</attribute><attribute name="parked">${parked}</attribute>`
    const shape = (frame: number, is: number, inner: string) =>
      `<box frame="${frame}" keyframe="${is}" outside="0" occluded="1" xtl="1" ytl="2" xbr="3" ybr="4" rotation="5" z_order="6">${inner}</box>`
    const { tracks, report } = await read(
      inTrack(
        `${shape(0, 1, values('red', 'true'))}${shape(1, 0, values('red', 'true'))}${shape(2, 1, values('blue', 'false'))}`,
        'id="3" label="car" source="manual" group_id="9"',
      ),
      into,
    )
    const common = { occluded: true, rotation: 5, z_order: 6 }
    expect(tracks).toEqual([
      {
        frame: 0,
        label_id: 40,
        group: 9,
        source: 'file',
        attributes: [{ spec_id: 1, value: 'blue' }],
        shapes: [
          keyframe(0, { ...common, attributes: [{ spec_id: 3, value: 'true' }] }),
          keyframe(2, { ...common, attributes: [{ spec_id: 3, value: 'false' }] }),
        ],
        elements: [],
      },
    ])
    expect(report.created.tracks).toBe(1)
  })

  test('keep every shape of a file without keyframe attributes', async () => {
    const { tracks } = await read(inTrack(box(0) + box(1) + box(2, 'outside="1"')), into)
    expect(tracks[0]?.shapes).toEqual([keyframe(0), keyframe(1), keyframe(2, { outside: true })])
  })

  test('may list shapes in any order, and may repeat a shape', async () => {
    const { tracks } = await read(
      inTrack(box(3, 'keyframe="1"') + box(1, 'keyframe="1"') + box(3, 'keyframe="1"')),
      into,
    )
    expect(tracks[0]).toMatchObject({ frame: 1, shapes: [{ frame: 1 }, { frame: 3 }] })
  })

  test('begin at their first listed frame', async () => {
    const { tracks } = await read(inTrack(box(1, 'keyframe="0"') + box(3, 'keyframe="1"')), into)
    expect(tracks[0]).toMatchObject({ frame: 1, shapes: [keyframe(1), keyframe(3)] })
  })

  test('use absolute frame numbers of the media', async () => {
    const grid = framesIn(['a', 'b', 'c'], { start_frame: 10, step: 5 })
    const { tracks } = await read(inTrack(box(10) + box(20)), grid)
    expect(tracks[0]?.shapes.map(({ frame }) => frame)).toEqual([0, 2])
    for (const frame of [0, 12, 25, -5]) {
      const message = `track 7: frame ${frame} is none of the task, which has 10 to 20 in steps of 5`
      await expect(read(inTrack(box(frame)), grid)).rejects.toThrow(message)
    }
  })

  test.each([
    [box(0) + box(0, 'z_order="1"'), 'track 7: two different shapes on frame 0'],
    [`${box(0)}<points frame="1" points="1,2"/>`, 'a points in a track of type rectangle'],
    ['<box xtl="1" ytl="2" xbr="3" ybr="4"/>', 'track 7: the attribute frame is missing'],
    ['<tag label="car"/>', '<tag> within a <track>'],
    ['<track label="head"/>', "Label 'car' has no point 'head'"],
  ])('are refused with %s', async (inner, message) => {
    await expect(read(inTrack(inner), into)).rejects.toThrow(message)
  })

  test.each([
    ['', 'degenerate-shape', 'the track has no shapes'],
    [box(0, 'outside="1"'), 'degenerate-shape', 'the track is never to be seen'],
  ])('are left out with %j', async (inner, code, reason) => {
    const { imported, report } = await read(inTrack(inner), into)
    expect(imported).toEqual([])
    expect(report.entries).toMatchObject([{ code, reason, examples: [{ item: 'track 7' }] }])
  })

  test('of a job are imported completely if they are visible in it', async () => {
    const job = framesIn(['0', '1', '2', '3', '4', '5'], { includes: (frame) => frame > 3 })
    const seen = inTrack(box(0) + box(5))
    expect((await read(seen, job)).tracks[0]?.shapes.map(({ frame }) => frame)).toEqual([0, 5])
    const { imported, report } = await read(inTrack(box(0) + box(3, 'outside="1"')), job)
    expect(imported).toEqual([])
    expect(report.entries).toMatchObject([{ code: 'frame-outside-job' }])
  })

  test('of masks become a mask when they are visible on only one frame', async () => {
    const mask = (frame: number, rest = '') =>
      `<mask frame="${frame}" rle="0, 4" left="1" top="1" width="2" height="2" keyframe="1" ${rest}/>`
    const one = await read(inTrack(mask(2) + mask(3, 'outside="1"')), into)
    expect(one.imported).toEqual([
      {
        kind: 'shape',
        shape: shapeOf({ type: 'mask', frame: 2, label_id: 40, points: [0, 4, 1, 1, 2, 2] }),
      },
    ])
    const two = await read(inTrack(mask(2) + mask(3)), into)
    expect(two.tracks).toMatchObject([{ shapes: [{ type: 'mask', frame: 2 }, { frame: 3 }] }])
  })

  test('of skeletons have tracks for their elements, and are hidden when all elements are', async () => {
    const point = (label: string, x: number, rest = '') =>
      `<points label="${label}" points="${x},0" ${rest}/>`
    const { tracks } = await read(
      inTrack(
        `<skeleton frame="0" keyframe="1" z_order="2">${point('foot', 2, 'keyframe="1"')}${point('head', 1, 'keyframe="1"')}</skeleton>
         <skeleton frame="1" keyframe="0">${point('head', 1, 'keyframe="0"')}${point('foot', 3, 'keyframe="1" outside="1"')}</skeleton>
         <skeleton frame="2" keyframe="1">${point('head', 1, 'keyframe="1" outside="1"')}${point('foot', 3, 'keyframe="1" outside="1"')}</skeleton>`,
        'id="1" label="person"',
      ),
      into,
    )
    const own = { type: 'skeleton', points: [] } as const
    const part = (frame: number, x: number, outside = false) =>
      trackShapeOf({ type: 'points', frame, points: [x, 0], outside })
    expect(tracks).toMatchObject([
      {
        shapes: [
          trackShapeOf({ ...own, z_order: 2 }),
          trackShapeOf({ ...own, frame: 2, outside: true }),
        ],
        elements: [
          { label_id: 42, shapes: [part(0, 1), part(2, 1, true)] },
          { label_id: 43, shapes: [part(0, 2), part(1, 3, true), part(2, 3, true)] },
        ],
      },
    ])
  })
})
