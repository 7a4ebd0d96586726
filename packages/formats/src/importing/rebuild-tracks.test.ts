import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DatasetShape, DatasetTrack, DatasetTrackShape } from '../model/dataset.ts'
import { splitByMutable } from '../model/labels.ts'
import { labelOf, shapeOf } from '../testing/run.ts'
import { createTrackBuilder } from './rebuild-tracks.ts'

const spec = (id: number, mutable: boolean) => ({
  id,
  name: `${id}`,
  input_type: 'text',
  mutable,
  values: [],
  default_value: '',
})
const label = labelOf({ name: 'car', attributes: [spec(1, true), spec(2, false), spec(3, true)] })

/** One frame of a track in a file. */
interface Part {
  key: string
  shape: DatasetShape
  isKeyframe: boolean
}

const number = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.double({ noNaN: true }))
const value = fc.oneof(
  fc.constantFrom('true', '1', '0.25', '1.0', '-0', ' 1', '1e3', 'NaN', 'ü', ''),
  fc.string(),
)

/** Few distinct positions, so that some shapes do not move. */
const points = fc.oneof(
  fc.constantFrom([0, 0, 1, 1], [5, 5, 9.5, 9.5]),
  fc.array(number, { maxLength: 20 }),
)

const shape = (lastFrame: number): fc.Arbitrary<DatasetShape> =>
  fc
    .record({
      type: fc.constantFrom('rectangle', 'polygon', 'mask', 'skeleton'),
      frame: fc.nat(lastFrame),
      points,
      occluded: fc.boolean(),
      outside: fc.oneof({ arbitrary: fc.constant(false), weight: 4 }, fc.boolean()),
      z_order: fc.constantFrom(0, 0, -3, 7),
      rotation: fc.constantFrom(0, 0, 359.5),
      group: fc.nat(2),
      source: fc.constantFrom('manual', 'file'),
      attributes: fc.array(fc.record({ spec_id: fc.constantFrom(1, 2, 3), value }), {
        maxLength: 3,
      }),
    })
    .map((given) => shapeOf(given))

/** Parts in any order, at most one for each track and frame; long tasks have sparse tracks, short ones dense tracks. */
const parts = fc.constantFrom(0, 7, 30, 31, 63, 1_000_000).chain((lastFrame) =>
  fc
    .uniqueArray(
      fc.record<Part>({
        key: fc.constantFrom('a', 'b', 'c'),
        shape: shape(lastFrame),
        isKeyframe: fc.boolean(),
      }),
      { maxLength: 100, size: 'max', selector: ({ key, shape }) => `${key}${shape.frame}` },
    )
    .chain((all) => {
      const up = all.toSorted((a, b) => a.shape.frame - b.shape.frame)
      return fc.constantFrom(all, up, up.toReversed())
    })
    .map((all) => ({ lastFrame, all })),
)

test('tracks equal those of a simple algorithm that visits every frame', () => {
  fc.assert(
    fc.property(parts, ({ lastFrame, all }) => {
      expect([...builderOf(all, lastFrame).build()]).toEqual(plainTracks(all, lastFrame))
    }),
    { numRuns: 300 },
  )
})

test('a second shape is refused on exactly the frames that already have one', () => {
  const location = { file: 'gt.txt', line: 17 }
  fc.assert(
    fc.property(parts, ({ lastFrame, all }) => {
      const builder = builderOf(all, lastFrame)
      for (const { key, shape, isKeyframe } of all) {
        const message = `gt.txt: a second shape of track ${key} on frame ${shape.frame} at line 17`
        expect(() => builder.add(key, label, shape, isKeyframe, location)).toThrow(message)
      }
      expect([...builder.build()]).toEqual(plainTracks(all, lastFrame))
    }),
  )
})

test('a long track may be added from its last frame to its first', () => {
  const frames = Array.from({ length: 200_000 }, (_, index) => 200_000 - index)
  const builder = createTrackBuilder(intakeTo(200_000))
  for (const frame of frames) builder.add('a', label, shapeOf({ frame }), true, {})
  const [track] = builder.build()
  expect(track?.shapes.length).toBe(200_000)
  expect(track?.shapes.at(-1)?.frame).toBe(200_000)
})

// ---- helpers

const intakeTo = (last: number) => ({
  range: { first: 0, last },
  note: () => undefined,
  target: { frames: { includes: () => true } },
})

function builderOf(all: readonly Part[], lastFrame: number) {
  const builder = createTrackBuilder(intakeTo(lastFrame))
  for (const { key, shape, isKeyframe } of all) builder.add(key, label, shape, isKeyframe, {})
  return builder
}

/** Builds each track with all of its frames in memory. */
function plainTracks(all: readonly Part[], lastFrame: number): DatasetTrack[] {
  const keys = new Set(all.map(({ key }) => key))
  return [...keys].map((key) =>
    plainTrack(
      all.filter((part) => part.key === key),
      lastFrame,
    ),
  )
}

function plainTrack(own: readonly Part[], lastFrame: number): DatasetTrack {
  const byFrame = new Map(own.map((part) => [part.shape.frame, part]))
  const ordered = own.toSorted((a, b) => a.shape.frame - b.shape.frame)
  const shapes: DatasetTrackShape[] = []
  for (const part of ordered) {
    if (!part.shape.outside) addPlain(shapes, part, byFrame, lastFrame)
  }
  const [hidden] = ordered
  if (shapes.length === 0 && hidden) shapes.push(keyOf(hidden))
  const { label_id, group, source, attributes } = own[0]?.shape ?? shapeOf({})
  return {
    label_id,
    group,
    source,
    shapes,
    elements: [],
    frame: shapes[0]?.frame ?? 0,
    attributes: splitByMutable(label, attributes).track,
  }
}

function addPlain(
  shapes: DatasetTrackShape[],
  part: Part,
  byFrame: ReadonlyMap<number, Part>,
  lastFrame: number,
): void {
  const { frame } = part.shape
  const isHidden = (at: number) => byFrame.get(at)?.shape.outside !== false
  const isClosed = isHidden(frame + 1) && frame < lastFrame
  const latest = shapes.at(-1)
  const hasMoved = !latest || placeOf(latest) !== placeOf(part.shape)
  const isLast = isClosed || (frame === lastFrame && hasMoved)
  if (part.isKeyframe || isHidden(frame - 1) || isLast) shapes.push(keyOf(part))
  if (!isClosed) return
  const next = byFrame.get(frame + 1)
  shapes.push(next ? keyOf(next) : { ...keyOf(part), frame: frame + 1, outside: true })
}

const placeOf = ({ points, rotation }: Pick<DatasetShape, 'points' | 'rotation'>) =>
  `${points} ${rotation}`

function keyOf({ shape }: Part): DatasetTrackShape {
  const { type, frame, points, occluded, outside, z_order, rotation } = shape
  const attributes = splitByMutable(label, shape.attributes).shape
  return { type, frame, points, occluded, outside, keyframe: true, z_order, rotation, attributes }
}
