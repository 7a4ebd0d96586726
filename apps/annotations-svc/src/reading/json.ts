import { shapeTypes, sources } from '@reticle/contracts/rest/annotations'
import { type AnnotationRow, arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { cutBytes, pieceBytes } from '@reticle/kit/call/pieces'
import { createPacer } from '@reticle/kit/scheduling/pacer'
import { wordOf } from '../queries/store/conditions.ts'

/**
 * Joins row lines to REST JSON without parsing them: numbers and fragments are stored as the text of the response.
 */
export function toJson({ kind, columns }: AnnotationRow): string {
  switch (kind) {
    case 'tag':
      return tagJson(columns)
    case 'shape':
      return shapeJson(columns)
    case 'track':
      return trackJson(columns)
  }
}

function tagJson([frame, label, id, group, source, attributes]: string[]): string {
  return `{"id":${id},"frame":${frame},"label_id":${label},"group":${group},"source":"${word(source)}","attributes":${attributes || '[]'}}`
}

function shapeJson(columns: string[]): string {
  const [frame, label, id, group, z, rotation, score, type, source, occluded, outside] = columns
  const named = `"id":${id},"type":"${shapeTypes[Number(type)]}","frame":${frame},"label_id":${label},"group":${group},"source":"${word(source)}"`
  const place = `"score":${score},"occluded":${flag(occluded)},"outside":${flag(outside)},"z_order":${z},"rotation":${rotation}`
  return `{${named},${place},"points":[${columns[11]}],"attributes":${columns[12] || '[]'},"elements":${columns[13] || '[]'}}`
}

function trackJson(columns: string[]): string {
  const [frame, label, id, group, source, attributes, shapes, elements] = columns
  const named = `"id":${id},"frame":${frame},"label_id":${label},"group":${group},"source":"${word(source)}"`
  return `{${named},"attributes":${attributes || '[]'},"shapes":${shapes || '[]'},"elements":${elements || '[]'}}`
}

/**
 * SQL that builds the same JSON in the database, for small sets, where it saves the driver and this process one
 * string per column. Uses `||`, which is a third cheaper than `concat` but returns null if any part is null, so no
 * part may be null.
 */
export const jsonOf: Record<RowKind, string> = {
  tag: `'{"id":' || id || ',"frame":' || frame || ',"label_id":' || label_id || ',"group":' || "group"
    || ',"source":"' || ${wordIn('source', sources)} || '","attributes":' || ${listIn('attributes')} || '}'`,
  shape: `('{"id":' || id || ',"type":"' || ${wordIn('type', shapeTypes)} || '","frame":' || frame
    || ',"label_id":' || label_id || ',"group":' || "group" || ',"source":"' || ${wordIn('source', sources)}
    || '","score":' || score || ',"occluded":' || occluded || ',"outside":' || outside
    || ',"z_order":' || z_order || ',"rotation":' || rotation || ',"points":[') || points
    || ('],"attributes":' || ${listIn('attributes')} || ',"elements":' || ${listIn('elements')} || '}')`,
  track: `'{"id":' || id || ',"frame":' || start_frame || ',"label_id":' || label_id
    || ',"group":' || "group" || ',"source":"' || ${wordIn('source', sources)}
    || '","attributes":' || ${listIn('attributes')} || ',"shapes":' || ${listIn('shapes')}
    || ',"elements":' || ${listIn('elements')} || '}'`,
}

/** A word of a later version has no text here, so it becomes empty. */
function wordIn(column: string, words: readonly string[]): string {
  return `coalesce(${wordOf(column, words)}, '')`
}

function listIn(column: string): string {
  return `coalesce(nullif(${column}, ''), '[]')`
}

const word = (source: string | undefined) => sources[Number(source)]
const flag = (column: string | undefined) => (column === 't' ? 'true' : 'false')

/** Batches of an annotation set, one kind after the other. */
export type RowSource = readonly (readonly [
  RowKind,
  AsyncIterable<AnnotationRow[]> | Iterable<AnnotationRow[]>,
])[]

/** Returns the JSON of a row in parts, for rows that are too long for one string. */
export type InPieces = (row: AnnotationRow) => Iterable<string>

/** Returns the JSON of a set from lists that are already joined. */
export const setJson = (lists: Record<RowKind, string>) =>
  `{"version":0,"tags":[${lists.tag}],"shapes":[${lists.shape}],"tracks":[${lists.track}]}`

/**
 * Yields the whole body in chunks of at most 64 KiB and yields to the event loop in between. Columns are latin-1
 * characters, so the bytes equal the stored ones.
 *
 * @param inPieces writes tracks; default: as they are stored
 */
export async function* setBytes(
  source: RowSource,
  inPieces?: InPieces,
): AsyncGenerator<Uint8Array> {
  const pace = createPacer()
  let text = '{"version":0'
  for (const [kind, batches] of source) {
    text += `,"${arrayOf[kind]}":[`
    let comma = ''
    for await (const rows of batches) {
      for (const piece of piecesOf(rows, comma, kind === 'track' ? inPieces : undefined)) {
        text += piece
        comma = ','
        if (text.length < pieceBytes) continue
        yield* cutText(text)
        text = ''
        await pace()
      }
    }
    text += ']'
  }
  yield* cutText(`${text}}`)
}

function* piecesOf(rows: AnnotationRow[], before: string, inPieces: InPieces | undefined) {
  let comma = before
  for (const row of rows) {
    if (inPieces) {
      yield comma
      yield* inPieces(row)
    } else yield comma + toJson(row)
    comma = ','
  }
}

/** Yields latin-1 text as bytes, in chunks. */
export function* cutText(text: string): Generator<Uint8Array> {
  yield* cutBytes(Buffer.from(text, 'latin1'))
}
