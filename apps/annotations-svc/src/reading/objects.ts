import type { Shape, Tag, Track } from '@reticle/contracts/rest/annotations'
import {
  columnSeparator,
  decodeShape,
  decodeTag,
  decodeTrack,
  type Row,
  type RowKind,
  shapeText,
  tagText,
  toLatin1,
  trackText,
} from '@reticle/contracts/row-lines'

/** An object that is stored, or that passed validation and will be. */
export type Checked =
  | { kind: 'tag'; object: Tag }
  | { kind: 'shape'; object: Shape }
  | { kind: 'track'; object: Track }

/** The object of a row line. */
export function objectOf({ kind, columns }: Row): Checked {
  if (kind === 'tag') return { kind, object: decodeTag(columns) }
  return kind === 'shape'
    ? { kind, object: decodeShape(columns) }
    : { kind, object: decodeTrack(columns) }
}

/** The whole object as an answer shows it: the columns of its row line, joined. */
export function answerText({ kind, object }: Checked): string {
  if (kind === 'tag') return tagText(object)
  return kind === 'shape' ? shapeText(object) : trackText(object)
}

/** A row line of columns that are plain text, joined. */
export const latinRow = (kind: RowKind, text: string): Row => ({
  kind,
  columns: toLatin1(text).split(columnSeparator),
})
