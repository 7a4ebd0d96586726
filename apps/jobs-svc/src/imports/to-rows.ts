import {
  type Shape as RestShape,
  type Tag as RestTag,
  type Track as RestTrack,
  sources,
} from '@reticle/contracts/rest/annotations'
import {
  type DeepReadonly,
  encodeShape,
  encodeTag,
  encodeTrack,
  rowLinesHeader,
} from '@reticle/contracts/row-lines'
import type {
  DatasetShape,
  DatasetTag,
  DatasetTrack,
  Imported,
} from '@reticle/formats/model/dataset'
import { pieceBytes } from '@reticle/kit/call/pieces'

/**
 * Encodes the objects that a format read as row lines without ids (`contracts/src/row-lines.ts`), many per text.
 *
 * @param takenGroups largest existing group; groups of the objects are numbered above
 */
export async function* toRowLines(
  objects: AsyncIterable<Imported>,
  takenGroups = 0,
): AsyncGenerator<string> {
  let text = rowLinesHeader
  for await (const object of objects) {
    text += encode(object, takenGroups)
    if (text.length < pieceBytes) continue
    yield text
    text = ''
  }
  yield text
}

function encode(object: Imported, takenGroups: number): string {
  switch (object.kind) {
    case 'tag':
      return encodeTag(regrouped(tagOf(object.tag), takenGroups))
    case 'shape':
      return encodeShape(regrouped(shapeOf(object.shape), takenGroups))
    case 'track':
      return encodeTrack(regrouped(trackOf(object.track), takenGroups))
  }
}

const regrouped = <T extends DeepReadonly<RestTag>>(one: T, takenGroups: number): T =>
  one.group ? { ...one, group: one.group + takenGroups } : one

// Millions of objects pass here, so lists are passed on without copies.

function tagOf({ frame, label_id, group, source, attributes }: DatasetTag): DeepReadonly<RestTag> {
  return { frame, label_id, group, source: sourceOf(source), attributes }
}

function elementOf({
  elements: _,
  ...shape
}: DatasetShape): DeepReadonly<RestShape['elements'][number]> {
  return { ...shape, source: sourceOf(shape.source) }
}

function shapeOf(shape: DatasetShape): DeepReadonly<RestShape> {
  // Field by field, because spreading takes three times as long.
  return {
    type: shape.type,
    frame: shape.frame,
    label_id: shape.label_id,
    group: shape.group,
    source: sourceOf(shape.source),
    score: shape.score,
    occluded: shape.occluded,
    outside: shape.outside,
    z_order: shape.z_order,
    rotation: shape.rotation,
    points: shape.points,
    attributes: shape.attributes,
    elements: shape.elements.map(elementOf),
  }
}

function trackElementOf(track: DatasetTrack): DeepReadonly<RestTrack['elements'][number]> {
  return { ...tagOf(track), shapes: track.shapes }
}

function trackOf(track: DatasetTrack): DeepReadonly<RestTrack> {
  return { ...trackElementOf(track), elements: track.elements.map(trackElementOf) }
}

/** Unknown sources become `file`. */
const sourceOf = (given: string): RestTag['source'] =>
  sources.find((one) => one === given) ?? 'file'
