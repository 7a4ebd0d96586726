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
import type { DatasetShape, DatasetTag, DatasetTrack } from '@reticle/formats/model/dataset'
import type { AnnotationStreams } from '@reticle/formats/tracks/dataset-items'
import type { Staged } from '../operations/staging.ts'
import type { AssertLabel } from './known-labels.ts'

interface FromRows {
  /** Returns the last frame of a track. */
  stopFrame: (track: RestTrack) => number | undefined
  assertLabel: AssertLabel
}

/** Decodes staged row lines to the objects of the formats. */
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

/** Decodes the tracks of some labels as stored; without labels, those of all. */
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

/** Yields tracks one by one, because a single one may be large. */
async function* decodedTracks(
  staged: Staged,
  decode: (columns: string[]) => DatasetTrack,
): AsyncGenerator<DatasetTrack> {
  for await (const batch of decodeRows(staged.read()))
    for (const { columns } of batch) yield decode(columns)
}

const tagOf = <T extends RestTag>(given: T): T & DatasetTag => ({
  ...given,
  group: given.group ?? 0,
})

const elementOf = (element: RestShape['elements'][number]): DatasetShape => ({
  ...tagOf(element),
  elements: [],
})
const shapeOf = (shape: RestShape): DatasetShape =>
  // Changes the decoded object in place: it is not shared, and copying millions would be slow.
  Object.assign(shape, { group: shape.group ?? 0, elements: shape.elements.map(elementOf) })

const trackElementOf = (element: RestTrack['elements'][number]): DatasetTrack => ({
  ...tagOf(element),
  elements: [],
})
const trackOf = (track: RestTrack): DatasetTrack => ({
  ...tagOf(track),
  elements: track.elements.map(trackElementOf),
})
