import { type Shape, shapeTypes, sources, type Tag, type Track } from './rest/annotations.ts'

/**
 * Row lines, the bulk format between annotations-svc and the converters (`perf-design.md` 4.3). What `COPY` hands out is
 * such a stream already, so an export costs the service nothing.
 *
 * - UTF-8. The first line is `reticle rows 1`, the number being the version; every line ends in `\n`.
 * - A line is the kind (`tag`, `shape`, `track`) and then the columns of `rowColumns`, separated by the byte 0x02. No
 *   column can hold a newline or 0x02: each is a number, a flag or JSON text, where control characters are escaped.
 * - An empty column is null or an empty list: no id yet, no attributes, no elements, the points of a skeleton.
 * - Flags are `t` and `f`. `type` and `source` are positions in `shapeTypes` and `sources`, so these two lists only ever
 *   grow at their ends. `points` is a JSON array without its brackets; `attributes`, `elements` and `shapes` are whole
 *   JSON arrays of the objects of REST.
 * - Order: tags, shapes, tracks; each by frame and id. A reader may rely on it, a writer need not keep it.
 */
const rowLinesVersion = 1

/** The first line of a stream, its newline included. */
export const rowLinesHeader = `reticle rows ${rowLinesVersion}\n`

/** Between two columns of a line. */
export const columnSeparator = '\u0002'

/** The columns behind the kind, in their order. */
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

/** Every kind, in the order of a stream. */
export const rowKinds = ['tag', 'shape', 'track'] as const satisfies readonly RowKind[]

/** What a set calls the list of a kind; the service names its tables alike. */
export const arrayOf = {
  tag: 'tags',
  shape: 'shapes',
  track: 'tracks',
} as const satisfies Record<RowKind, string>

/**
 * One line. `columns` are texts of latin-1 characters, one for each byte: right as they stand for numbers and flags, and
 * for `points`. Text that people wrote is read by `decodeText`.
 */
export interface Row {
  kind: RowKind
  columns: string[]
}

/** A stream that is no stream of row lines of this version: a fault of the program that wrote it. */
export class RowLinesError extends Error {}

// ---- writing

/** What is written is only read. */
export type Written<T> = T extends readonly (infer One)[]
  ? readonly Written<One>[]
  : T extends object
    ? { readonly [K in keyof T]: Written<T[K]> }
    : T

/** Between two columns, for the templates below: they are written as often as there are annotations. */
const to = columnSeparator

/** The columns of a tag, joined. The text is what it says, not latin-1. */
export function tagText({ frame, label_id, id, group, source, attributes }: Written<Tag>): string {
  const start = `${frame}${to}${label_id}${to}${id || ''}${to}${group ?? 0}`
  return `${start}${to}${sources.indexOf(source)}${to}${listText(attributes)}`
}

/** The columns of a shape, joined; as `tagText`. */
export function shapeText(shape: Written<Shape>): string {
  const { frame, label_id, id, group, z_order, rotation, score, occluded, outside } = shape
  const start = `${frame}${to}${label_id}${to}${id || ''}${to}${group ?? 0}`
  const place = `${z_order}${to}${rotation}${to}${score}${to}${shapeTypes.indexOf(shape.type)}`
  const flags = `${sources.indexOf(shape.source)}${to}${occluded ? 't' : 'f'}${to}${outside ? 't' : 'f'}`
  const points = pointsText(shape.points)
  const lists = `${listText(shape.attributes)}${to}${listText(shape.elements)}`
  return `${start}${to}${place}${to}${flags}${to}${points}${to}${lists}`
}

/** The columns of a track, joined; as `tagText`. */
export function trackText(track: Written<Track>): string {
  return `${tagText(track)}${to}${listText(track.shapes)}${to}${listText(track.elements)}`
}

export const encodeTag = (tag: Written<Tag>) => line('tag', tagText(tag))
export const encodeShape = (shape: Written<Shape>) => line('shape', shapeText(shape))
export const encodeTrack = (track: Written<Track>) => line('track', trackText(track))

/** A line again from what was read of it; its text is of latin-1 characters. */
export const encodeRow = ({ kind, columns }: Row) => line(kind, columns.join(to))

const line = (kind: RowKind, text: string) => `${kind}${to}${text}\n`

/** A JSON array without its brackets. Most numbers have two decimals at most: put together they take a third of the engine's time. */
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

/** Of hundredths: none, `.05`, `.5`. */
const decimals = Array.from({ length: 100 }, (_, at) => String(at / 100).slice(1))

/** Lists that are frozen are shared by many objects, such as the defaults of attributes: written once. */
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
 * The rows of a stream, in batches of what one piece of it completes; pieces may be cut anywhere.
 *
 * @throws RowLinesError naming the line, counted from 1
 */
export async function* decodeRows(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Row[]> {
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
 * Complete lines as latin-1 text without their newlines, in batches of what one piece completes. Also reads what `COPY`
 * hands out, which has no header.
 *
 * @throws RowLinesError when the last line has no end
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string[]> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    const end = text.lastIndexOf('\n')
    if (end < 0) {
      rest += text // looked at once its line has an end: a line may be as long as a track
      continue
    }
    yield (rest + text.slice(0, end)).split('\n')
    rest = text.slice(end + 1)
  }
  if (rest) throw new RowLinesError('the last line has no end')
}

function readRow(text: string, number: number): Row {
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

/** A latin-1 column as the text it stands for. */
function decodeText(column: string): string {
  return isAscii(column) ? column : Buffer.from(column, 'latin1').toString()
}

/** Text as latin-1 characters, one for each of its bytes: the form of the columns of a `Row`. */
export function toLatin1(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1')
}

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text)

/** The numbers of a `points` column. */
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
 * The number at a place, which then stands behind the comma after it; undefined unless it is a plain one of few digits: as a whole number
 * they are exact, and so their quotient by a power of ten is the nearest number there is. Takes half the time of the engine's reader.
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

/** A tag from the columns of a `Row`. */
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

/** A shape from the columns of a `Row`. */
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

/** A track from the columns of a `Row`. */
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
