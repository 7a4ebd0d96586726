import type {
  Shape as RestShape,
  Tag as RestTag,
  Track as RestTrack,
} from '@reticle/contracts/rest/annotations'
import {
  decodeRows,
  decodeShape,
  decodeTag,
  decodeTrack,
  type RowKind,
} from '@reticle/contracts/row-lines'
import type { Shape, Tag, Track } from '@reticle/formats/model'
import type { AnnotationStreams } from '@reticle/formats/tracks'
import type { Staged } from '../operations/staging.ts'
import type { AssertLabel } from './known-labels.ts'

interface FromRows {
  /** The last frame that a track may reach. */
  stopFrame: (track: RestTrack) => number | undefined
  assertLabel: AssertLabel
}

/** Staged row lines as the objects that formats know. */
export function fromRows(
  rows: Record<RowKind, Staged>,
  { stopFrame, assertLabel }: FromRows,
): AnnotationStreams {
  return {
    tags: decoded(rows.tag, (columns) => {
      const tag = decodeTag(columns)
      assertLabel('tag', tag)
      return tagOf(tag)
    }),
    shapes: decoded(rows.shape, (columns) => {
      const shape = decodeShape(columns)
      assertLabel('shape', shape)
      return shapeOf(shape)
    }),
    tracks: decodedTracks(rows.track, (columns) => {
      const track = decodeTrack(columns)
      assertLabel('track', track)
      return { ...trackOf(track), stop_frame: stopFrame(track) }
    }),
  }
}

/** The tracks of some labels, of none given those of all, as they are stored. */
export async function* storedTracks(
  rows: Staged,
  label_ids: readonly number[],
): AsyncGenerator<RestTrack> {
  for await (const batch of decodeRows(rows.read())) {
    for (const { columns } of batch) {
      const track = decodeTrack(columns)
      if (label_ids.length === 0 || label_ids.includes(track.label_id)) yield track
    }
  }
}

async function* decoded<T>(staged: Staged, decode: (columns: string[]) => T): AsyncGenerator<T[]> {
  for await (const batch of decodeRows(staged.read()))
    yield batch.map(({ columns }) => decode(columns))
}

/** A batch of tracks may be a large one: each is there by itself. */
async function* decodedTracks(
  staged: Staged,
  decode: (columns: string[]) => Track,
): AsyncGenerator<Track> {
  for await (const batch of decodeRows(staged.read()))
    for (const { columns } of batch) yield decode(columns)
}

const tagOf = <T extends RestTag>(given: T): T & Tag => ({ ...given, group: given.group ?? 0 })

const elementOf = (element: RestShape['elements'][number]): Shape => ({
  ...tagOf(element),
  elements: [],
})
const shapeOf = (shape: RestShape): Shape =>
  // What was read just now is nobody else's: no copy of each of millions.
  Object.assign(shape, { group: shape.group ?? 0, elements: shape.elements.map(elementOf) })

const trackElementOf = (element: RestTrack['elements'][number]): Track => ({
  ...tagOf(element),
  elements: [],
})
const trackOf = (track: RestTrack): Track => ({
  ...tagOf(track),
  elements: track.elements.map(trackElementOf),
})
