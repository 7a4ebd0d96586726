/**
 * Random annotations for any format. Each one is in a separate cell of the image, so that it can be identified after
 * conversion.
 */
import { bitmapToCrop, boxOfPoints } from '@reticle/geometry'
import fc from 'fast-check'
import type {
  AttributeSpec,
  AttributeValue,
  DatasetShape,
  DatasetShapeType,
  DatasetTag,
  DatasetTrack,
} from '../model/dataset.ts'
import { framesOf, labelOf, shapeOf, trackOf, trackShapeOf } from './run.ts'

const columns = 4
const rows = 4
/** Pixels. */
const cell = { width: 25, height: 20 }

export const frames = framesOf(['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg'])

const spec = (id: number, name: string, input_type: string, mutable = false): AttributeSpec => ({
  id,
  name,
  input_type,
  mutable,
  default_value: '',
  values: input_type === 'select' ? ['one', 'two'] : [],
})
const specs = [
  spec(1, 'lanes', 'number'),
  spec(2, 'wet', 'checkbox', true),
  spec(3, 'note', 'text', true),
  spec(4, 'kind', 'select'),
]
const joints = ['head', 'foot'].map((name, at) => labelOf({ id: 20 + at, name, type: 'points' }))

export const labels = [
  labelOf({ id: 5, name: 'thing', attributes: specs }),
  labelOf({ id: 7, name: 'Straße' }),
  labelOf({ id: 9, name: 'body', type: 'skeleton', sublabels: joints }),
]

/** Returns the cell of a shape, by the centre of its bounding box. */
export function cellOf({ frame, ...shape }: DatasetShape): string {
  const [x, y] = centreOf(shape)
  return `${frame}: ${Math.floor(x / cell.width)}, ${Math.floor(y / cell.height)}`
}

function centreOf({ type, points, elements }: Omit<DatasetShape, 'frame'>): [number, number] {
  if (type === 'ellipse') return [points[0] ?? 0, points[1] ?? 0]
  const all = type === 'skeleton' ? elements.flatMap((element) => element.points) : points
  const [x, y, width, height] = boxOfPoints(type === 'mask' ? all.slice(-4) : all)
  return [x + width / 2, y + height / 2]
}

// ---- places

const hundredths = (min: number, max: number) =>
  fc.integer({ min: min * 100, max: max * 100 }).map((value) => value / 100)

type Place = Pick<DatasetShape, 'type' | 'points' | 'rotation' | 'label_id' | 'elements'>
type Corner = readonly [x: number, y: number]

const anyThing: fc.Arbitrary<number> = fc.constantFrom(5, 7)
const turn = fc.oneof(fc.constant(0), hundredths(1, 359))
const straight = fc.constant(0)
const none: fc.Arbitrary<never[]> = fc.constant([])
const placeOf = (
  type: DatasetShapeType,
  points: fc.Arbitrary<number[]>,
  rest: {
    rotation?: typeof turn
    label_id?: typeof anyThing
    elements?: fc.Arbitrary<DatasetShape[]>
  } = {},
): fc.Arbitrary<Place> => {
  const usual = { rotation: straight, label_id: anyThing, elements: none }
  return fc.record({ type: fc.constant(type), points, ...usual, ...rest })
}

/** Geometries in the cell at a corner: boxes of 6 to 12 pixels, which stay in the cell when rotated. */
function placesAt([x, y]: Corner): Record<DatasetShapeType, fc.Arbitrary<Place>> {
  const side = hundredths(6, 12)
  const [middleX, middleY] = [x + cell.width / 2, y + cell.height / 2]
  const box = fc
    .tuple(side, side)
    .map(([width, height]) => [
      ...[middleX - width / 2, middleY - height / 2].map(round),
      ...[middleX + width / 2, middleY + height / 2].map(round),
    ])
  const ring = (least: number) =>
    fc
      .tuple(fc.integer({ min: least, max: 6 }), side)
      .map(([count, size]) =>
        Array.from({ length: count }, (_, at) => (2 * Math.PI * at) / count).flatMap((angle) => [
          round(middleX + (size / 2) * Math.cos(angle)),
          round(middleY + (size / 2) * Math.sin(angle)),
        ]),
      )
  const element = (label_id: number) => (points: number[]) =>
    shapeOf({ type: 'points', label_id, points: points.slice(0, 2) })
  return {
    rectangle: placeOf('rectangle', box, { rotation: turn }),
    polygon: placeOf('polygon', ring(3)),
    polyline: placeOf('polyline', ring(2)),
    points: placeOf('points', ring(1)),
    ellipse: placeOf(
      'ellipse',
      fc.tuple(side, side).map(([rx, ry]) => [middleX, middleY, rx / 2, ry / 2].map(round)),
      { rotation: turn },
    ),
    cuboid: placeOf(
      'cuboid',
      ring(4).map(([left = 0, top = 0]) =>
        [
          left,
          top,
          left,
          top + 4,
          left + 3,
          top,
          left + 3,
          top + 4,
          left + 5,
          top + 1,
          left + 5,
          top + 5,
          left + 2,
          top + 1,
          left + 2,
          top + 5,
        ].map(round),
      ),
    ),
    mask: placeOf('mask', maskAt(x, y)),
    skeleton: placeOf('skeleton', none, {
      label_id: fc.constant(9),
      elements: fc
        .tuple(ring(1).map(element(20)), ring(1).map(element(21)))
        .map((both) => [...both]),
    }),
  }
}

/** Most of the pixels of a box, including its corners. */
function maskAt(x: number, y: number): fc.Arbitrary<number[]> {
  const side = fc.integer({ min: 4, max: 12 })
  return fc
    .tuple(side, side, fc.array(fc.nat(143), { maxLength: 9 }))
    .map(([width, height, holes]) => {
      const bits = new Uint8Array(width * height).fill(1)
      const inner = holes.filter((at) => at > 0 && at < bits.length - 1)
      for (const at of inner) bits[at] = 0
      return bitmapToCrop({ left: x + 6, top: y + 4, width, height, bits }) ?? []
    })
}

const round = (value: number): number => Math.round(value * 100) / 100

// ---- other fields of annotations

const word = fc.constantFrom('red', 'dark blue', 'ü')
const valuesOf: Readonly<Record<number, fc.Arbitrary<string>>> = {
  1: fc.constantFrom('2', '2.5'),
  2: fc.constantFrom('true', 'false'),
  3: word,
  4: fc.constantFrom('one', 'two'),
}
const values = (wanted: readonly AttributeSpec[]): fc.Arbitrary<AttributeValue[]> =>
  fc
    .tuple(...wanted.map(({ id }) => valuesOf[id] ?? word))
    .map((texts) => wanted.map(({ id }, at) => ({ spec_id: id, value: texts[at] ?? '' })))

const flags = {
  occluded: fc.boolean(),
  z_order: fc.nat(3),
  score: fc.constantFrom(1, 0.5),
}

// ---- datasets

const cells = fc.tuple(fc.nat(columns * rows - 1), fc.nat(frames.length - 1))
const cornerOf = (at: number): Corner => [
  (at % columns) * cell.width,
  Math.floor(at / columns) * cell.height,
]

const shapeIn = (
  at: number,
  frame: number,
  kinds: readonly DatasetShapeType[],
): fc.Arbitrary<DatasetShape> => {
  const places = placesAt(cornerOf(at))
  return fc
    .record({
      place: fc.oneof(...kinds.map((kind) => places[kind])),
      attributes: values(specs),
      ...flags,
    })
    .map(({ place, attributes, ...rest }) =>
      shapeOf({ ...rest, ...place, frame, attributes: place.label_id === 5 ? attributes : [] }),
    )
}

/** Shapes in separate cells, by frame. */
export const anyShapes = (kinds: readonly DatasetShapeType[]): fc.Arbitrary<DatasetShape[]> =>
  fc
    .uniqueArray(cells, {
      minLength: 1,
      maxLength: 10,
      selector: ([at, frame]) => `${at} ${frame}`,
    })
    .chain((taken) => fc.tuple(...taken.map(([at, frame]) => shapeIn(at, frame, kinds))))
    .map((shapes) => shapes.toSorted((a, b) => a.frame - b.frame))

/** Shapes of one frame in groups of two or three. */
export const anyGroups = (kinds: readonly DatasetShapeType[]): fc.Arbitrary<DatasetShape[]> =>
  fc
    .tuple(
      fc.nat(frames.length - 1),
      fc.uniqueArray(fc.nat(columns * rows - 1), { minLength: 2, maxLength: 9 }),
    )
    .chain(([frame, taken]) => fc.tuple(...taken.map((at) => shapeIn(at, frame, kinds))))
    .map((shapes) => shapes.map((shape, at) => ({ ...shape, group: 1 + Math.floor(at / 3) })))

export const anyTags: fc.Arbitrary<DatasetTag[]> = fc
  .uniqueArray(fc.nat(frames.length - 1), { maxLength: 3 })
  .chain((taken) =>
    fc.tuple(
      ...taken
        .toSorted((a, b) => a - b)
        .map((frame) =>
          values(specs).map((attributes): DatasetTag => {
            const rest = { group: 0, source: 'file' }
            return { frame, label_id: 5, attributes, ...rest }
          }),
        ),
    ),
  )

/** Tracks that stay in a column of cells, with keyframes and gaps. */
export const anyTracks = (kinds: readonly DatasetShapeType[]): fc.Arbitrary<DatasetTrack[]> =>
  fc
    .uniqueArray(fc.nat(columns * rows - 1), { minLength: 1, maxLength: 4 })
    .chain((taken) => fc.tuple(...taken.map((at) => trackIn(at, kinds))))
    .map((tracks) => tracks.toSorted((a, b) => a.frame - b.frame))

function trackIn(at: number, kinds: readonly DatasetShapeType[]): fc.Arbitrary<DatasetTrack> {
  const mutable = specs.filter((one) => one.mutable)
  const state = fc.record({
    occluded: flags.occluded,
    outside: fc.boolean(),
    isKeyframe: fc.boolean(),
    z_order: flags.z_order,
    attributes: values(mutable),
  })
  const states = fc.array(state, { minLength: frames.length, maxLength: frames.length })
  const fixed = values(specs.filter((one) => !one.mutable))
  const places = placesAt(cornerOf(at))
  const place = fc.oneof(...kinds.map((kind) => places[kind]))
  return fc
    .record({ place, begin: fc.nat(frames.length - 1), attributes: fixed, states })
    .map(({ place: { elements: _, ...given }, begin, attributes, states: all }) => {
      const isThing = given.label_id === 5
      const shapes = all.flatMap(({ isKeyframe, outside, ...rest }, frame) => {
        if (frame < begin || !(isKeyframe || frame === begin)) return []
        const points = given.type === 'mask' ? given.points : given.points.map(movedTo(frame))
        const own = { ...given, ...rest, frame, points, outside: outside && frame > begin }
        return trackShapeOf(isThing ? own : { ...own, attributes: [] })
      })
      return trackOf(shapes, { label_id: given.label_id, attributes: isThing ? attributes : [] })
    })
}

/** Moves by quarters of pixels, so that interpolated values have at most two decimals. */
const movedTo = (frame: number) => (value: number) => round(value + frame / 4)
