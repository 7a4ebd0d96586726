import type { Shape, Tag, Track } from '@reticle/contracts/rest/annotations'
import {
  type AnnotationRow,
  columnSeparator,
  decodeShape,
  decodeTag,
  decodeTrack,
  type RowKind,
  shapeText,
  tagText,
  toLatin1,
  trackText,
} from '@reticle/contracts/row-lines'

/** A stored object, or one that passed validation. */
export type Checked =
  | { kind: 'tag'; object: Tag }
  | { kind: 'shape'; object: Shape }
  | { kind: 'track'; object: Track }

/** Parses a row line to an object. */
export function objectOf({ kind, columns }: AnnotationRow): Checked {
  if (kind === 'tag') return { kind, object: decodeTag(columns) }
  return kind === 'shape'
    ? { kind, object: decodeShape(columns) }
    : { kind, object: decodeTrack(columns) }
}

/** Returns the columns of the row line of an object, joined, which the response is made of. */
export function answerText({ kind, object }: Checked): string {
  if (kind === 'tag') return tagText(object)
  return kind === 'shape' ? shapeText(object) : trackText(object)
}

/** Converts joined plain-text columns to a row line. */
export const latinRow = (kind: RowKind, text: string): AnnotationRow => ({
  kind,
  columns: toLatin1(text).split(columnSeparator),
})
