import type { AnnotationSet, Shape, Tag, Track, TrackShape } from '@reticle/sdk'
import { maskOf } from '../geometry/mask.ts'
import { areaOf, type Box, boxOf, joined, nowhere, type Outline } from '../geometry/outline.ts'
import { outlinesOf } from '../geometry/shapes.ts'
import type { Item, Piece } from './item.ts'
import type { Names } from './names.ts'
import { jointsOf, type Part, skeletonPieces } from './parts.ts'

/**
 * Returns the objects of a frame in drawing order: by z-order, then large ones below small ones. Tracks contain
 * interpolated positions (`interpolate=true`); positions that are outside are left out.
 */
export function itemsOf(set: AnnotationSet, frame: number, names: Names): Item[] {
  const items = [
    ...set.tags.map((tag) => itemOfTag(tag, names)),
    ...set.shapes.filter(({ outside }) => !outside).map((shape) => itemOfShape(shape, names)),
    ...set.tracks.flatMap((track) => itemOfTrack(track, frame, names)),
  ]
  const areas = new Map(items.map((item) => [item, areaOf(item.box)]))
  const areaAt = (item: Item) => areas.get(item) ?? 0
  return items.sort((one, other) => one.z_order - other.z_order || areaAt(other) - areaAt(one))
}

function itemOfTag(tag: Tag, names: Names): Item {
  const drawn = { type: 'tag', isOccluded: false, z_order: 0, pieces: [] } as const
  return { ...commonOf('tags', tag, names), ...drawn, outlines: [], box: { ...nowhere } }
}

function itemOfShape(shape: Shape, names: Names): Item {
  const common = commonOf('shapes', shape, names)
  const attributes = [...common.attributes, ...attributesOfParts(shape.elements, names)]
  const drawn = drawnOf(shape, shape, shape.elements, names)
  return { ...common, attributes, score: shape.score, ...drawn }
}

function itemOfTrack(track: Track, frame: number, names: Names): Item[] {
  const position = positionOf(track, frame)
  if (!position) return []
  const elements = track.elements.flatMap(({ label_id, attributes, ...element }) => {
    const place = positionOf(element, frame)
    const all = [...attributes, ...(place?.attributes ?? [])]
    return place ? [{ ...place, label_id, attributes: all }] : []
  })
  const own = [...track.attributes, ...position.attributes]
  const common = commonOf('tracks', { ...track, attributes: own }, names)
  const attributes = [...common.attributes, ...attributesOfParts(elements, names)]
  const drawn = drawnOf(track, position, elements, names)
  return [{ ...common, attributes, keyframe: position.keyframe, ...drawn }]
}

const positionOf = ({ shapes }: Pick<Track, 'shapes'>, frame: number): TrackShape | undefined =>
  shapes.find((shape) => shape.frame === frame && !shape.outside)

function commonOf(kind: Item['kind'], object: Tag, names: Names) {
  const { id = null, label_id, group, source } = object
  const { name: label, color } = names.label(label_id)
  const attributes = attributesOf(object, names)
  const key = `${kind}-${id}`
  return { key, kind, id, label_id, label, color, group: group ?? 0, source, attributes }
}

const attributesOf = ({ attributes }: Pick<Tag, 'attributes'>, names: Names) =>
  attributes.map(({ spec_id, value }) => ({ name: names.attribute(spec_id).name, value }))

/** Returns the attributes of joints, prefixed with the label. */
const attributesOfParts = (parts: readonly Part[], names: Names) =>
  parts.flatMap((part) => {
    const of = names.label(part.label_id).name
    return attributesOf(part, names).map(({ name, value }) => ({ name: `${of}: ${name}`, value }))
  })

type Place = Pick<TrackShape, 'type' | 'points' | 'rotation' | 'occluded' | 'z_order'>

/** Returns the drawing of a shape or of a position of a track. */
function drawnOf(
  { label_id }: Pick<Tag, 'label_id'>,
  place: Place,
  elements: readonly Part[],
  names: Names,
) {
  const { color } = names.label(label_id)
  const isOccluded = place.occluded
  const { type, z_order } = place
  const joints = jointsOf(elements, names)
  const own = outlinesOf(place).map((outline): Piece => ({ outline, color, isDashed: isOccluded }))
  const lines = skeletonPieces(joints, names.edges(label_id), color, isOccluded)
  const pieces = [...own, ...lines, ...joints.flatMap((joint) => joint.pieces)]
  const outlines = pieces.map(({ outline }) => outline)
  const seen = { type, isOccluded, z_order, pieces, outlines, box: boxOfAll(outlines) }
  if (type !== 'mask') return seen
  const mask = maskOf(place.points)
  const { left, top, width, height } = mask
  return { ...seen, mask, box: { left, top, right: left + width, bottom: top + height } }
}

const boxOfAll = (outlines: readonly Outline[]): Box => outlines.map(boxOf).reduce(joined, nowhere)
