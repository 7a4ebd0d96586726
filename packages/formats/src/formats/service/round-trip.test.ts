import { orderCorners } from '@reticle/geometry'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import type {
  AttributeValue,
  DatasetShape,
  DatasetTag,
  DatasetTrack,
  DatasetTrackShape,
  Imported,
} from '../../model/dataset.ts'
import {
  collectAll,
  createRun,
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  partOf,
  shapeOf,
  targetOf,
  trackOf,
} from '../../testing/run.ts'
import { framesIn, labels } from '../../testing/service.ts'
import { service, serviceForVideo } from '../service.ts'
import { openServiceDataset } from './dataset.ts'

/** Exports are imported again without any change: coordinates of two decimals, and every kind of annotation at once. */

const grid = { origin: 10, step: 5, frame_filter: 'step=5' }
const size = 8
const paths = Array.from({ length: size }, (_, index) => `set "1"/ü & <${index}>.jpg`)
const frames = framesOf(paths)
const target = framesIn(paths, { start_frame: grid.origin, step: grid.step })

const coordinate = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 100)
const numbers = (count: number) => fc.array(coordinate, { minLength: count, maxLength: count })
const vertices = (least: number) =>
  fc.integer({ min: least, max: least + 4 }).chain((count) => numbers(2 * count))
const rotation = fc.integer({ min: 0, max: 35_999 }).map((value) => value / 100)
const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const frame = fc.nat(size - 1)

const mask = fc
  .record({
    left: fc.nat(50),
    top: fc.nat(40),
    width: fc.integer({ min: 1, max: 20 }),
    height: fc.integer({ min: 1, max: 20 }),
  })
  .chain(({ left, top, width, height }) =>
    fc
      .uniqueArray(fc.integer({ min: 1, max: width * height }), { minLength: 1, maxLength: 9 })
      .map((cuts) => {
        const ends = [...cuts.sort((a, b) => a - b)]
        const first = ends.length === 1 ? [0, ...ends] : ends
        const runEnds = first.at(-1) === width * height ? first : [...first, width * height]
        const runs = runEnds.map((end, index) => end - (runEnds[index - 1] ?? 0))
        return [...runs, left, top, left + width - 1, top + height - 1]
      }),
  )

const box = numbers(4)
  .filter(([left, top, right, bottom]) => left !== right && top !== bottom)
  .map((points) => [...orderCorners(points)])
const ellipse = numbers(4).map(([x = 0, y = 0, rx = 0, ry = 0]) => [
  x,
  y,
  Math.abs(rx),
  Math.abs(ry),
])
const places = fc.oneof(
  fc.record({ type: fc.constant('rectangle' as const), points: box, rotation }),
  fc.record({ type: fc.constant('ellipse' as const), points: ellipse, rotation }),
  fc.record({ type: fc.constant('polygon' as const), points: vertices(3) }),
  fc.record({ type: fc.constant('polyline' as const), points: vertices(2) }),
  fc.record({ type: fc.constant('points' as const), points: vertices(1) }),
  fc.record({ type: fc.constant('cuboid' as const), points: numbers(16) }),
  fc.record({ type: fc.constant('mask' as const), points: mask }),
)
const flags = {
  occluded: fc.boolean(),
  z_order: fc.integer({ min: -2_147_483_647, max: 2_147_483_647 }),
}
const group = fc.oneof(fc.constant(0), fc.nat(2_147_483_647))
const values = (
  ...specs: [spec_id: number, value: fc.Arbitrary<string>][]
): fc.Arbitrary<AttributeValue[]> =>
  fc.tuple(...specs.map(([spec_id, value]) => value.map((one) => ({ spec_id, value: one }))))
const bool = fc.constantFrom('true', 'false')

const plain: fc.Arbitrary<DatasetShape> = fc
  .record({ place: places, frame, group, attributes: values([1, text], [3, bool]), ...flags })
  .map(({ place, ...rest }) => shapeOf({ label_id: 40, ...rest, ...place }))

const elementOf = (label_id: number) =>
  fc.record({ points: numbers(2), occluded: fc.boolean(), outside: fc.boolean() }).map((rest) => {
    return shapeOf({ type: 'points', label_id, ...rest })
  })
const skeleton: fc.Arbitrary<DatasetShape> = fc
  .record({
    frame,
    group,
    attributes: values([4, text]),
    elements: fc.tuple(elementOf(42), elementOf(43)),
    ...flags,
  })
  .map(({ elements, ...rest }) => {
    const own = elements.map((one) => ({ ...one, frame: rest.frame }))
    return shapeOf({ type: 'skeleton', label_id: 41, points: [], ...rest, elements: own })
  })

const tag: fc.Arbitrary<DatasetTag> = fc.record({
  frame,
  label_id: fc.constant(40),
  group,
  source: fc.constant('file'),
  attributes: values([1, text], [3, bool]),
})

/** Keyframes of one type; the first one is visible. */
const keyframes = (
  place: fc.Arbitrary<Partial<DatasetTrackShape>>,
  attributes: fc.Arbitrary<AttributeValue[]>,
) =>
  fc
    .uniqueArray(fc.record({ place, frame, outside: fc.boolean(), attributes, ...flags }), {
      selector: (one) => one.frame,
      minLength: 1,
      maxLength: 4,
    })
    .map((shapes): DatasetTrackShape[] =>
      shapes
        .sort((a, b) => a.frame - b.frame)
        .map(({ place, outside, ...rest }, index) => {
          const common = { type: 'rectangle' as const, points: [], rotation: 0, keyframe: true }
          return { ...common, ...rest, outside: outside && index > 0, ...place }
        }),
    )

const moving = fc.oneof(
  ...[
    fc.record({ type: fc.constant('rectangle' as const), points: box, rotation }),
    fc.record({ type: fc.constant('polygon' as const), points: vertices(3) }),
    fc.record({ type: fc.constant('points' as const), points: vertices(1) }),
    fc.record({ type: fc.constant('cuboid' as const), points: numbers(16) }),
  ].map((place) => keyframes(place as fc.Arbitrary<Partial<DatasetTrackShape>>, values([3, bool]))),
)
const track: fc.Arbitrary<DatasetTrack> = fc
  .record({ shapes: moving, group, attributes: values([1, text]) })
  .map(({ shapes, ...rest }) => trackOf(shapes, { label_id: 40, ...rest }))

/** Elements change on the frames of the skeleton, or on any frame after its first one. */
const pointTrack = (label_id: number, first: number) =>
  keyframes(
    fc.record({ type: fc.constant('points' as const), points: numbers(2) }),
    fc.constant([]),
  ).map((shapes) => {
    const later = shapes.filter((shape) => shape.frame > first)
    const begin = {
      ...shapes[0],
      frame: first,
      outside: false,
      keyframe: true,
    } as DatasetTrackShape
    return trackOf(
      [begin, ...later].map((shape) => ({ ...shape, z_order: 0 })),
      { label_id },
    )
  })
const skeletonTrack: fc.Arbitrary<DatasetTrack> = keyframes(
  fc.constant({ type: 'skeleton' as const, points: [] }),
  fc.constant([]),
).chain((shapes) =>
  fc
    .record({
      elements: fc.tuple(
        pointTrack(42, shapes[0]?.frame ?? 0),
        pointTrack(43, shapes[0]?.frame ?? 0),
      ),
      attributes: values([4, text]),
      group,
    })
    .map((rest) => trackOf(shapes, { label_id: 41, ...rest })),
)

const byFrame = <T extends { frame: number }>(objects: T[]): T[] =>
  objects.sort((a, b) => a.frame - b.frame)
const layered = (objects: DatasetShape[]): DatasetShape[] =>
  byFrame(objects.toSorted((a, b) => a.z_order - b.z_order))

/** Frames with images, for exports that are imported into a project. */
const pictured = frames.map((one) => ({
  ...one,
  async *image() {
    yield Buffer.from(one.path)
  },
}))

/** Reads an archive into a project; the result equals an import into a task with the same images. */
async function readByProject(bytes: Uint8Array): Promise<Imported[]> {
  const { run } = createRun()
  const { subsets } = await openServiceDataset(sourceOf(bytes), run)
  const [subset] = subsets
  if (!subset || subsets.length > 1) throw new Error('one subset')
  expect(subset.images.map(({ name }) => name)).toEqual(paths)
  const read = await collectAll(subset.importAnnotations(targetOf(labels, frames), run))
  return read
}

test('an export is imported with the same annotations', async () => {
  const given = fc.record({
    shapes: fc.array(fc.oneof(plain, skeleton), { maxLength: 12 }).map(layered),
    tags: fc.array(tag, { maxLength: 4 }).map(byFrame),
    tracks: fc.array(fc.oneof(track, skeletonTrack), { maxLength: 6 }).map(byFrame),
    mode: fc.constantFrom('annotation' as const, 'interpolation' as const),
  })
  await fc.assert(
    fc.asyncProperty(given, async ({ mode, ...streams }) => {
      const about = { mode, ...grid }
      const dataset = datasetOf(labels, pictured, streams, { about, saveImages: true })
      const exported = await exportBytes(service.exporter, dataset)
      expect(exported.report).toMatchObject({ dropped: 0, converted: 0, skipped: 0 })
      const { report, ...read } = await importBytes(service, exported.bytes, target)
      expect(read.shapes).toEqual(streams.shapes)
      expect(read.imported.flatMap((one) => (one.kind === 'tag' ? [one.tag] : []))).toEqual(
        streams.tags,
      )
      expect(read.tracks).toEqual(streams.tracks)
      expect(await readByProject(exported.bytes)).toEqual(read.imported)
      expect(report).toMatchObject({
        dropped: 0,
        converted: 0,
        skipped: 0,
        created: exported.report.created,
      })
    }),
    { numRuns: 150 },
  )
}, 60_000)

test('a shape exported as a track ends after the deleted frames that follow it', async () => {
  const part = partOf(framesOf(['0', '1', '2', '3', '4', '5']), {
    shapes: [shapeOf({ frame: 1, label_id: 40 })],
  })
  const left = { ...part, frames: part.frames.filter(({ frame }) => frame !== 2) }
  const subset = { name: 'default', frames: left.frames, items: () => left.items(true) }
  const parts = [{ ...left, deletedFrames: new Set([2]) }]
  const dataset = { ...datasetOf(labels, part.frames, {}), subsets: [{ ...subset, parts }] }
  const { files } = await exportBytes(serviceForVideo.exporter, dataset)
  const shapes = [
    ...(files['annotations.xml'] ?? '').matchAll(/<box frame="(\d)" .*outside="(\d)"/g),
  ]
  expect(shapes.map(([, on, outside]) => [on, outside])).toEqual([
    ['1', '0'],
    ['3', '1'],
  ])
})
