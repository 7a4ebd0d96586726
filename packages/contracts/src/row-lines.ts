import { type Shape, shapeTypes, sources, type Tag, type Track } from './rest/annotations.ts'

/**
 * Row lines, the bulk format between annotations-svc and the converters. The output of `COPY` already has this form, so
 * an export costs the service no conversion.
 * - UTF-8. The first line is `reticle rows 1`, where the number is the version; every line ends in `\n`.
 * - A line is the kind (`tag`, `shape`, `track`) and then the columns of `rowColumns`, separated by the byte 0x02. No
 * column can contain a newline or 0x02: each is a number, a flag or JSON text, where control characters are escaped.
 * - An empty column is null or an empty list: no id yet, no attributes, no elements, the points of a skeleton.
 * - Flags are `t` and `f`. `type` and `source` are positions in `shapeTypes` and `sources`, so these two lists may only
 * be extended at their ends. `points` is a JSON array without its brackets; `attributes`, `elements` and `shapes` are
 * complete JSON arrays of REST objects.
 * - Order: tags, shapes, tracks; each by frame and id. A reader may rely on it, a writer need not.
 */
const rowLinesVersion = 1

/** First line of a stream, including its newline. */
export const rowLinesHeader = `reticle rows ${rowLinesVersion}\n`

/** Separator of the columns of a line. */
export const columnSeparator = '\u0002'

/** Columns after the kind, in order. */
export const rowColumns = {
  tag: ['frame', 'label_id', 'id', 'group', 'source', 'attributes'],
  shape: [
    'frame',
    'label_id',
    'id',
    'group',
    'z_order',
    'rotation',
    'score',
    'type',
    'source',
    'occluded',
    'outside',
    'points',
    'attributes',
    'elements',
  ],
  track: ['frame', 'label_id', 'id', 'group', 'source', 'attributes', 'shapes', 'elements'],
} as const

export type RowKind = keyof typeof rowColumns

/** All kinds, in the order of a stream. */
export const rowKinds = ['tag', 'shape', 'track'] as const satisfies readonly RowKind[]

/** Names of the lists of an annotation set by kind; the service names its tables alike. */
export const arrayOf = {
  tag: 'tags',
  shape: 'shapes',
  track: 'tracks',
} as const satisfies Record<RowKind, string>

/**
 * Parsed line. `columns` are texts of latin-1 characters, one for each byte: correct as they are for numbers, flags and
 * `points`. Text of users must be decoded by `decodeText`.
 */
export interface AnnotationRow {
  kind: RowKind
  columns: string[]
}

/** Error of a malformed stream or another version, which is a bug of the program that wrote it. */
export class RowLinesError extends Error {}

// ---- writing

/** Deeply readonly form of an object to write. */
export type DeepReadonly<T> = T extends readonly (infer One)[]
  ? readonly DeepReadonly<One>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

/** Short alias for the templates below, which run once per annotation. */
const to = columnSeparator

/** Returns the joined columns of a tag, as ordinary text and not latin-1. */
export function tagText({
  frame,
  label_id,
  id,
  group,
  source,
  attributes,
}: DeepReadonly<Tag>): string {
  const start = `${frame}${to}${label_id}${to}${id || ''}${to}${group ?? 0}`
  return `${start}${to}${sources.indexOf(source)}${to}${listText(attributes)}`
}

/** Returns the joined columns of a shape, as ordinary text. */
export function shapeText(shape: DeepReadonly<Shape>): string {
  const { frame, label_id, id, group, z_order, rotation, score, occluded, outside } = shape
  const start = `${frame}${to}${label_id}${to}${id || ''}${to}${group ?? 0}`
  const place = `${z_order}${to}${rotation}${to}${score}${to}${shapeTypes.indexOf(shape.type)}`
  const flags = `${sources.indexOf(shape.source)}${to}${occluded ? 't' : 'f'}${to}${outside ? 't' : 'f'}`
  const points = pointsText(shape.points)
  const lists = `${listText(shape.attributes)}${to}${listText(shape.elements)}`
  return `${start}${to}${place}${to}${flags}${to}${points}${to}${lists}`
}

/** Returns the joined columns of a track, as ordinary text. */
export function trackText(track: DeepReadonly<Track>): string {
  return `${tagText(track)}${to}${listText(track.shapes)}${to}${listText(track.elements)}`
}

export const encodeTag = (tag: DeepReadonly<Tag>) => line('tag', tagText(tag))
export const encodeShape = (shape: DeepReadonly<Shape>) => line('shape', shapeText(shape))
export const encodeTrack = (track: DeepReadonly<Track>) => line('track', trackText(track))

/** Formats a parsed row as a line of latin-1 characters. */
export const encodeRow = ({ kind, columns }: AnnotationRow) => line(kind, columns.join(to))

const line = (kind: RowKind, text: string) => `${kind}${to}${text}\n`

/**
 * Formats a JSON array without its brackets. Most numbers have at most two decimals, for which this takes a third of
 * the time of `JSON.stringify`.
 */
function pointsText(points: readonly number[]): string {
  let text = ''
  for (let at = 0; at < points.length; at += 1)
    text += at > 0 ? `,${numberText(points[at] ?? 0)}` : numberText(points[at] ?? 0)
  return text
}

function numberText(value: number): string {
  const hundredths = Math.round(value * 100)
  const isPlain = hundredths >= 0 && hundredths < 2 ** 31 && hundredths / 100 === value
  if (!isPlain) return JSON.stringify(value)
  const whole = Math.trunc(hundredths / 100)
  return whole + (decimals[hundredths - 100 * whole] ?? '')
}

/** Decimals of hundredths: none, `.05`, `.5`. */
const decimals = Array.from({ length: 100 }, (_, at) => String(at / 100).slice(1))

/** Cache of the texts of frozen lists, which many objects share, such as the defaults of attributes. */
const sharedTexts = new WeakMap<readonly unknown[], string>()

function listText(list: readonly unknown[]): string {
  if (list.length === 0) return ''
  const known = sharedTexts.get(list)
  if (known !== undefined) return known
  const text = JSON.stringify(list)
  if (Object.isFrozen(list)) sharedTexts.set(list, text)
  return text
}

// ---- reading

/**
 * Parses the rows of a stream, whose pieces may be cut anywhere, in one batch per piece.
 * @throws RowLinesError naming the line, counted from 1
 */
export async function* decodeRows(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<AnnotationRow[]> {
  let number = 0
  for await (const lines of splitLines(chunks)) {
    const isStart = number === 0
    if (isStart && `${lines[0]}\n` !== rowLinesHeader) {
      throw new RowLinesError(`line 1: expected "${rowLinesHeader.trimEnd()}"`)
    }
    const first = number + 1
    number += lines.length
    const rows = isStart ? lines.slice(1) : lines
    const offset = isStart ? first + 1 : first
    if (rows.length > 0) yield rows.map((text, index) => readRow(text, offset + index))
  }
  if (number === 0) throw new RowLinesError('line 1: the stream is empty')
}

/**
 * Yields complete lines as latin-1 text without their newlines, in one batch per piece. Also reads the output of
 * `COPY`, which has no header.
 * @throws RowLinesError if the last line is incomplete
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string[]> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    const end = text.lastIndexOf('\n')
    if (end < 0) {
      rest += text // split only once the line is complete, because a line may be as long as a track
      continue
    }
    yield (rest + text.slice(0, end)).split('\n')
    rest = text.slice(end + 1)
  }
  if (rest) throw new RowLinesError('the last line has no end')
}

function readRow(text: string, number: number): AnnotationRow {
  const columns = text.split(columnSeparator)
  const word = columns.shift() ?? ''
  const kind = rowKinds.find((one) => one === word)
  if (!kind) throw new RowLinesError(`line ${number}: no kind "${word.slice(0, 20)}"`)
  const expected = rowColumns[kind].length
  if (columns.length !== expected) {
    throw new RowLinesError(
      `line ${number}: a ${kind} has ${expected} columns, not ${columns.length}`,
    )
  }
  return { kind, columns }
}

/** Decodes the text of a latin-1 column. */
function decodeText(column: string): string {
  return isAscii(column) ? column : Buffer.from(column, 'latin1').toString()
}

/** Encodes text as latin-1 characters, one for each of its bytes: the form of the columns of an `AnnotationRow`. */
export function toLatin1(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1')
}

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text)

/** Parses a `points` column. */
function decodePoints(column: string): number[] {
  const points: number[] = []
  const place = { at: 0 }
  while (place.at < column.length) {
    const value = readPlain(column, place)
    if (value === undefined) return JSON.parse(`[${column}]`)
    points.push(value)
  }
  return points
}

/**
 * Parses a number and moves the position after the following comma. Returns undefined unless it is a plain number of
 * few digits: its digits are exact as an integer, so the quotient by a power of ten is the nearest number. It takes
 * half the time of the JSON parser.
 */
function readPlain(column: string, place: { at: number }): number | undefined {
  const isNegative = column.charCodeAt(place.at) === minus
  const start = isNegative ? place.at + 1 : place.at
  let value = 0
  let point = -1
  let at = start
  for (; at < column.length; at += 1) {
    const code = column.charCodeAt(at)
    if (code >= zero && code <= nine) value = value * 10 + (code - zero)
    else if (code === dot && point < 0) point = at
    else break
  }
  const decimals = point < 0 ? 0 : at - point - 1
  const isPlain = at > start && at - start <= 15 && point !== start && point !== at - 1
  if (!isPlain || !isBorder(column, at)) return undefined
  place.at = at + 1
  return (isNegative ? -value : value) / (powers[decimals] ?? 1)
}

const isBorder = (column: string, at: number) =>
  at === column.length || column.charCodeAt(at) === comma

const zero = 0x30
const nine = 0x39
const comma = 0x2c
const dot = 0x2e
const minus = 0x2d
const powers = Array.from({ length: 16 }, (_, power) => 10 ** power)

/** Parses a tag from the columns of an `AnnotationRow`. */
export function decodeTag([frame, label, id, group, source, attributes]: string[]): Tag {
  return {
    id: readId(id),
    frame: Number(frame),
    label_id: Number(label),
    group: Number(group),
    source: sources[Number(source)] ?? 'manual',
    attributes: readList<Tag['attributes']>(attributes),
  }
}

/** Parses a shape from the columns of an `AnnotationRow`. */
export function decodeShape(columns: string[]): Shape {
  const [frame, label, id, group, z, rotation, score, type, source, occluded, outside] = columns
  return {
    id: readId(id),
    type: shapeTypes[Number(type)] ?? 'rectangle',
    frame: Number(frame),
    label_id: Number(label),
    group: Number(group),
    source: sources[Number(source)] ?? 'manual',
    score: Number(score),
    occluded: occluded === 't',
    outside: outside === 't',
    z_order: Number(z),
    rotation: Number(rotation),
    points: decodePoints(columns[11] ?? ''),
    attributes: readList<Shape['attributes']>(columns[12]),
    elements: readList<Shape['elements']>(columns[13]),
  }
}

/** Parses a track from the columns of an `AnnotationRow`. */
export function decodeTrack(columns: string[]): Track {
  const [frame, label, id, group, source, attributes, shapes, elements] = columns
  return {
    id: readId(id),
    frame: Number(frame),
    label_id: Number(label),
    group: Number(group),
    source: sources[Number(source)] ?? 'manual',
    attributes: readList<Track['attributes']>(attributes),
    shapes: readList<Track['shapes']>(shapes),
    elements: readList<Track['elements']>(elements),
  }
}

const readId = (column: string | undefined) => (column ? Number(column) : null)

function readList<L extends unknown[]>(column: string | undefined): L {
  const list = column ? JSON.parse(decodeText(column)) : []
  return list
}
