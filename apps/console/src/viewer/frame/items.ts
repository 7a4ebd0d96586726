import type { AnnotationSet, Shape, Tag, Track, TrackShape } from '@reticle/sdk'
import { parseMask } from '../geometry/mask.ts'
import {
  areaOf,
  boxOf,
  emptyBox,
  joinBoxes,
  type PictureBox,
  type ShapeOutline,
} from '../geometry/outline.ts'
import { outlinesOf } from '../geometry/shapes.ts'
import type { FrameObject, ObjectPiece } from './item.ts'
import type { FrameLabelNames } from './names.ts'
import { jointsOf, type SkeletonElement, skeletonPieces } from './parts.ts'

/**
 * Returns the objects of a frame in drawing order: by z-order, then large ones below small ones. Tracks contain
 * interpolated positions (`interpolate=true`); positions that are outside are left out.
 */
export function itemsOf(set: AnnotationSet, frame: number, names: FrameLabelNames): FrameObject[] {
  const items = [
    ...set.tags.map((tag) => itemOfTag(tag, names)),
    ...set.shapes.filter(({ outside }) => !outside).map((shape) => itemOfShape(shape, names)),
    ...set.tracks.flatMap((track) => itemOfTrack(track, frame, names)),
  ]
  const areas = new Map(items.map((item) => [item, areaOf(item.box)]))
  const areaAt = (item: FrameObject) => areas.get(item) ?? 0
  return items.sort((one, other) => one.z_order - other.z_order || areaAt(other) - areaAt(one))
}

function itemOfTag(tag: Tag, names: FrameLabelNames): FrameObject {
  const drawn = { type: 'tag', isOccluded: false, z_order: 0, pieces: [] } as const
  return { ...commonOf('tags', tag, names), ...drawn, outlines: [], box: { ...emptyBox } }
}

function itemOfShape(shape: Shape, names: FrameLabelNames): FrameObject {
  const common = commonOf('shapes', shape, names)
  const attributes = [...common.attributes, ...attributesOfParts(shape.elements, names)]
  const drawn = drawnOf(shape, shape, shape.elements, names)
  return { ...common, attributes, score: shape.score, ...drawn }
}

function itemOfTrack(track: Track, frame: number, names: FrameLabelNames): FrameObject[] {
  const position = positionOf(track, frame)
  if (!position) return []
  const elements = track.elements.flatMap(({ label_id, attributes, ...element }) => {
    const objectPosition = positionOf(element, frame)
    const all = [...attributes, ...(objectPosition?.attributes ?? [])]
    return objectPosition ? [{ ...objectPosition, label_id, attributes: all }] : []
  })
  const own = [...track.attributes, ...position.attributes]
  const common = commonOf('tracks', { ...track, attributes: own }, names)
  const attributes = [...common.attributes, ...attributesOfParts(elements, names)]
  const drawn = drawnOf(track, position, elements, names)
  return [{ ...common, attributes, keyframe: position.keyframe, ...drawn }]
}

const positionOf = ({ shapes }: Pick<Track, 'shapes'>, frame: number): TrackShape | undefined =>
  shapes.find((shape) => shape.frame === frame && !shape.outside)

function commonOf(kind: FrameObject['kind'], object: Tag, names: FrameLabelNames) {
  const { id = null, label_id, group, source } = object
  const { name: label, color } = names.label(label_id)
  const attributes = attributesOf(object, names)
  const key = `${kind}-${id}`
  return { key, kind, id, label_id, label, color, group: group ?? 0, source, attributes }
}

const attributesOf = ({ attributes }: Pick<Tag, 'attributes'>, names: FrameLabelNames) =>
  attributes.map(({ spec_id, value }) => ({ name: names.attribute(spec_id).name, value }))

/** Returns the attributes of joints, prefixed with the label. */
const attributesOfParts = (parts: readonly SkeletonElement[], names: FrameLabelNames) =>
  parts.flatMap((part) => {
    const of = names.label(part.label_id).name
    return attributesOf(part, names).map(({ name, value }) => ({ name: `${of}: ${name}`, value }))
  })

type ObjectPosition = Pick<TrackShape, 'type' | 'points' | 'rotation' | 'occluded' | 'z_order'>

/** Returns the drawing of a shape or of a position of a track. */
function drawnOf(
  { label_id }: Pick<Tag, 'label_id'>,
  objectPosition: ObjectPosition,
  elements: readonly SkeletonElement[],
  names: FrameLabelNames,
) {
  const { color } = names.label(label_id)
  const isOccluded = objectPosition.occluded
  const { type, z_order } = objectPosition
  const joints = jointsOf(elements, names)
  const own = outlinesOf(objectPosition).map(
    (outline): ObjectPiece => ({ outline, color, isDashed: isOccluded }),
  )
  const lines = skeletonPieces(joints, names.edges(label_id), color, isOccluded)
  const pieces = [...own, ...lines, ...joints.flatMap((joint) => joint.pieces)]
  const outlines = pieces.map(({ outline }) => outline)
  const seen = { type, isOccluded, z_order, pieces, outlines, box: boxOfAll(outlines) }
  if (type !== 'mask') return seen
  const mask = parseMask(objectPosition.points)
  const { left, top, width, height } = mask
  return { ...seen, mask, box: { left, top, right: left + width, bottom: top + height } }
}

const boxOfAll = (outlines: readonly ShapeOutline[]): PictureBox =>
  outlines.map(boxOf).reduce(joinBoxes, emptyBox)
