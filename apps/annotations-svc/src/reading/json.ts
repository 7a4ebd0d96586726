import { shapeTypes, sources } from '@reticle/contracts/rest/annotations'
import { arrayOf, type Row, type RowKind } from '@reticle/contracts/row-lines'
import { createPacer } from '@reticle/kit/pacer'
import { cutBytes, pieceBytes } from '@reticle/kit/pieces'
import { wordOf } from '../queries/conditions.ts'

/**
 * Row lines joined to the JSON of REST without looking at what is in them (`perf-design.md` 2.2): numbers and fragments
 * are stored as the texts that they are in the answer.
 */
export function toJson({ kind, columns }: Row): string {
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
 * The same joined by the database, for small sets: for each row that it saves here, the driver would make a text of every
 * column and this process another of them all. By `||`, which costs the server a third less than `concat` does; so no part
 * may be null, or the whole object would be left out.
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

/** Of a word that a later version has stored there is none here. */
function wordIn(column: string, words: readonly string[]): string {
  return `coalesce(${wordOf(column, words)}, '')`
}

function listIn(column: string): string {
  return `coalesce(nullif(${column}, ''), '[]')`
}

const word = (source: string | undefined) => sources[Number(source)]
const flag = (column: string | undefined) => (column === 't' ? 'true' : 'false')

/** Batches of one kind, one kind after the other, as an annotation set. */
export type RowSource = readonly (readonly [RowKind, AsyncIterable<Row[]> | Iterable<Row[]>])[]

/** The JSON of a row that is too long to be made whole. */
export type InPieces = (row: Row) => Iterable<string>

/** A whole set of lists that are joined already. */
export const setJson = (lists: Record<RowKind, string>) =>
  `{"version":0,"tags":[${lists.tag}],"shapes":[${lists.shape}],"tracks":[${lists.track}]}`

/**
 * The whole body, in pieces of at most 64 KiB, with turns for other calls. Columns are latin-1 characters, so the bytes are
 * what was stored.
 *
 * @param inPieces how tracks are written; default: as they are stored
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

function* piecesOf(rows: Row[], before: string, inPieces: InPieces | undefined) {
  let comma = before
  for (const row of rows) {
    if (inPieces) {
      yield comma
      yield* inPieces(row)
    } else yield comma + toJson(row)
    comma = ','
  }
}

/** Latin-1 characters as bytes, in pieces. */
export function* cutText(text: string): Generator<Uint8Array> {
  yield* cutBytes(Buffer.from(text, 'latin1'))
}
