import { describe, expect, test } from 'vitest'
import { createTrackBuilder } from '../importing/rebuild-tracks.ts'
import type { DatasetItem, DatasetTrack, DatasetTrackShape } from '../model/dataset.ts'
import {
  framesOf,
  labelOf,
  shapeOf,
  type TaskAnnotations,
  trackOf,
  trackShapeOf,
} from '../testing/run.ts'
import { type ItemOptions, itemsOf } from './dataset-items.ts'

const names = Array.from({ length: 10 }, (_, index) => `${index}.jpg`)

describe('items of a dataset', () => {
  test('contain tags, shapes and visible tracks of each frame', async () => {
    const track = trackOf([
      trackShapeOf({ frame: 2, points: [0, 0, 1, 1] }),
      trackShapeOf({ frame: 4, points: [4, 0, 5, 1], outside: true }),
    ])
    const tag = { frame: 3, label_id: 1, group: 0, source: 'manual', attributes: [] }
    const items = await collect({ tags: [tag], shapes: [shapeOf({ frame: 2 })], tracks: [track] })
    expect(items.map(({ index, tags, shapes }) => [index, tags.length, shapes.length])).toEqual([
      [2, 0, 2],
      [3, 1, 1],
    ])
    expect(items.map(({ shapes }) => shapes.at(-1))).toMatchObject([
      { track_id: 0, keyframe: true, points: [0, 0, 1, 1] },
      { track_id: 0, keyframe: false, points: [2, 0, 3, 1] },
    ])
  })

  test('contain a visible track up to the last frame, or up to its stop frame', async () => {
    const shapes = [trackShapeOf({ frame: 7 })]
    const tracks = [trackOf(shapes), trackOf(shapes, { stop_frame: 8 })]
    const items = await collect({ tracks })
    expect(items.map(({ index, shapes }) => [index, shapes.map((s) => s.track_id)])).toEqual([
      [7, [0, 1]],
      [8, [0, 1]],
      [9, [0]],
    ])
  })

  test('of some frames depend on keyframes of other frames, including deleted ones', async () => {
    const tracks = [0, 4, 8].map((frame) => trackShapeOf({ frame, points: [frame, 0, 99, 99] }))
    const some = framesOf(names).filter(({ frame }) => frame === 2 || frame === 6)
    const lefts = async (options: ItemOptions): Promise<unknown[]> => {
      const items: DatasetItem[] = []
      const streams = { tags: [], shapes: [[shapeOf({ frame: 3 })]], tracks: [trackOf(tracks)] }
      for await (const item of itemsOf(some, streams, options)) items.push(item)
      return items.map(({ index, shapes }) => [index, shapes.length, shapes[0]?.points[0]])
    }
    expect(await lefts({})).toEqual([
      [0, 1, 2],
      [1, 1, 6],
    ])
    expect(await lefts({ firstIndex: 5 })).toEqual([
      [5, 1, 2],
      [6, 1, 6],
    ])
  })

  test('contain a track with very many keyframes', async () => {
    const shapes = Array.from({ length: 400 }, (_, at) =>
      trackShapeOf({
        frame: 2 * at,
        points: [at, 0.5, at + 10.25, 20],
        rotation: at % 360,
        outside: at % 100 === 99,
        occluded: at % 2 === 1,
        z_order: at % 3,
        attributes: at % 50 === 0 ? [{ spec_id: 7, value: `of ${at}` }] : [],
      }),
    )
    const shownOf = async (tracks: DatasetTrack[]) => {
      const items = itemsOf(framesOf(Array.from({ length: 800 }, (_, at) => `${at}.jpg`)), {
        tags: [],
        shapes: [],
        tracks,
      })
      const shown: unknown[] = []
      for await (const { index, shapes } of items)
        shown.push(...shapes.map(({ track_id: _, ...shape }) => ({ index, ...shape })))
      return shown
    }
    const inParts = [0, 100, 200, 300].map((from) => trackOf(shapes.slice(from, from + 100)))
    expect(await shownOf([trackOf(shapes)])).toEqual(await shownOf(inParts))
  })

  test('inherit attribute values from the previous keyframe', async () => {
    const value = (spec_id: number, value: string) => ({ spec_id, value })
    const track = trackOf(
      [
        trackShapeOf({ frame: 0, attributes: [value(1, 'a'), value(2, 'b')] }),
        trackShapeOf({ frame: 1, attributes: [value(2, 'c')] }),
      ],
      { attributes: [value(9, 'fixed')] },
    )
    const [, second] = await collect({ tracks: [track] })
    expect(second?.shapes[0]?.attributes).toEqual([value(9, 'fixed'), value(1, 'a'), value(2, 'c')])
  })

  test('contain the elements of a skeleton at separate positions', async () => {
    const element = (x: number, outside: boolean): DatasetTrackShape[] => [
      trackShapeOf({ type: 'points', points: [x, 0] }),
      trackShapeOf({ type: 'points', frame: 2, points: [x + 2, 0], outside }),
    ]
    const track = trackOf([trackShapeOf({ type: 'skeleton', points: [] })], {
      elements: [
        trackOf(element(0, false), { label_id: 5 }),
        trackOf(element(10, true), { label_id: 6 }),
      ],
    })
    const items = await collect({ tracks: [track] })
    const seen = items.slice(1, 4).map(({ shapes }) => shapes[0]?.elements)
    expect(seen).toMatchObject([
      [
        { label_id: 5, points: [1, 0], outside: false },
        { points: [11, 0], outside: false },
      ],
      [{ points: [2, 0] }, { points: [12, 0], outside: true }],
      [{ points: [2, 0] }, { points: [12, 0], outside: true }],
    ])
  })

  test('close their streams when iteration stops early', async () => {
    let isClosed = false
    const shapes = (async function* () {
      try {
        for (const frame of [0, 1, 2]) yield [shapeOf({ frame })]
      } finally {
        isClosed = true
      }
    })()
    for await (const _ of itemsOf(framesOf(names), { tags: [], shapes, tracks: [] })) break
    expect(isClosed).toBe(true)
  })
})

describe('a rebuilt track', () => {
  test('keeps keyframes and drops shapes in between', () => {
    expect(rebuilt([key(0), 1, 2, key(3), 4, 5, 6, 7, 8, 9])).toEqual(['0', '3'])
  })

  test('is hidden after a gap and before the end', () => {
    expect(rebuilt([key(1), 2, 3, 6, 7])).toEqual(['1', '3', '4 hidden', '6', '7', '8 hidden'])
  })

  test('is not hidden when it ends on the last frame', () => {
    expect(rebuilt([key(8), 9])).toEqual(['8'])
  })

  test('keeps its last visible shape when it has moved', () => {
    expect(rebuilt([key(8), { frame: 9, points: [5, 5, 6, 6] }])).toEqual(['8', '9'])
  })

  test('may be added in any order', () => {
    expect(rebuilt([7, 3, 2, key(1), 6])).toEqual(['1', '3', '4 hidden', '6', '7', '8 hidden'])
    expect(rebuilt([9, 8, 7, 6, 5, 4, 3, 2, 1, key(0)])).toEqual(['0'])
    expect(rebuilt([0, 2, 1, 4, 3])).toEqual(['0', '4', '5 hidden'])
  })

  test('uses hidden shapes of the file where it has them', () => {
    expect(
      rebuilt([key(0), { frame: 1, outside: true }, { frame: 2, outside: true }, key(5)]),
    ).toEqual(['0', '1 hidden', '5', '6 hidden'])
    expect(rebuilt([{ frame: 4, outside: true }])).toEqual(['4 hidden'])
  })

  test('has at most one shape on a frame', () => {
    expect(() => rebuilt([3, 4, 3])).toThrow('f.json: a second shape of track t on frame 3')
    expect(() => rebuilt([{ frame: 1, outside: true }, 1])).toThrow('on frame 1')
  })
})

// ---- helpers

async function collect(given: Partial<TaskAnnotations>): Promise<DatasetItem[]> {
  const items: DatasetItem[] = []
  const { tags = [], shapes = [], tracks = [] } = given
  const streams = { tags: [tags], shapes: [shapes], tracks }
  for await (const item of itemsOf(framesOf(names), streams)) items.push(item)
  return items
}

type Part = { frame: number; keyframe?: boolean; outside?: boolean; points?: number[] }

function key(frame: number): Part {
  return { frame, keyframe: true }
}

/** Returns the kept frames of a track in a task of ten frames; a number is a frame that is not a keyframe. */
function rebuilt(parts: (Part | number)[]): string[] {
  const builder = createTrackBuilder({
    range: { first: 0, last: 9 },
    note: () => undefined,
    target: { frames: { includes: () => true } },
  })
  const label = labelOf({ name: 'car' })
  for (const part of parts.map((one) => (typeof one === 'number' ? { frame: one } : one))) {
    const { keyframe = false, ...shape }: Part = part
    builder.add('t', label, shapeOf(shape), keyframe, { file: 'f.json' })
  }
  const [track] = builder.build()
  expect(track?.shapes.every(({ keyframe }) => keyframe)).toBe(true)
  return (track?.shapes ?? []).map(({ frame, outside }) => `${frame}${outside ? ' hidden' : ''}`)
}
