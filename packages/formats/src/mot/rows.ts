/** Reads rows of MOT files: `frame_id,track_id,x,y,w,h,confidence,class_id,visibility` and optional columns. */
import type { ZipEntry, ZipReader } from '../archive/zip-reader.ts'
import { FormatError, type Place } from '../errors.ts'
import { readInteger, readNumber } from '../numbers.ts'
import { lineOf, linesIn } from '../text-lines.ts'

export interface MotRow {
  place: Place
  /** From 1. */
  frame: number
  /** Id of the track; above 0 when the row belongs to one. */
  track: number
  width: number
  height: number
  /** x1, y1, x2, y2 in pixels. */
  points: number[]
  /** Undefined when the column is missing or unknown. */
  confidence: number | undefined
  /** From 1. */
  classId: number | undefined
  visibility: number | undefined
}

/**
 * Yields the rows of a file of any size, in one batch for each piece of the file.
 * @param onRead Called with the number of bytes read.
 */
export async function* rowsIn(
  zip: ZipReader,
  entry: ZipEntry,
  onRead: (bytes: number) => void,
): AsyncGenerator<MotRow[]> {
  for await (const lines of linesIn(counted(zip.stream(entry), onRead), entry.name)) {
    const rows: MotRow[] = []
    for (const line of lines)
      if (line.text !== '') rows.push(readRow(line.text, lineOf(entry.name, line)))
    yield rows
  }
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    yield piece
    onRead(piece.length)
  }
}

const columns = [
  ...['frame_id', 'track_id', 'x', 'y', 'w', 'h'],
  ...['confidence', 'class_id', 'visibility', 'column 10'],
]

function readRow(text: string, place: Place): MotRow {
  const values = text.split(',')
  const count = values.length
  if (count < 6 || count > 10)
    throw new FormatError(`${count} columns, expected 6 to 10 with commas between`, place)
  const x = numberAt(values, 2, place)
  const y = numberAt(values, 3, place)
  const width = numberAt(values, 4, place)
  const height = numberAt(values, 5, place)
  const last = [7, 8, 9].map((at) => optionalAt(values, at, place))
  // In files of the first years, ten columns contain world coordinates, which are hardly ever whole numbers.
  const isOfWorld = last[2] !== undefined && !last.every(Number.isInteger)
  const classId = isOfWorld ? undefined : classOf(last[0])
  const isKnown = last[1] !== -1 && (classId !== undefined || count < 10)
  return {
    place,
    frame: integerAt(values, 0, place),
    track: integerAt(values, 1, place),
    width,
    height,
    points: [x, y, plain(x + width), plain(y + height)],
    confidence: optionalAt(values, 6, place),
    classId,
    visibility: isKnown ? last[1] : undefined,
  }
}

type At<T> = (values: readonly string[], at: number, place: Place) => T

const integerAt: At<number> = (values, at, place) =>
  readInteger(textAt(values, at), (reason) => refusal(at, reason, place))

const numberAt: At<number> = (values, at, place) =>
  readNumber(textAt(values, at), (reason) => refusal(at, reason, place))

const optionalAt: At<number | undefined> = (values, at, place) =>
  textAt(values, at) === '' ? undefined : numberAt(values, at, place)

const textAt = (values: readonly string[], at: number): string => (values[at] ?? '').trim()

const refusal = (at: number, reason: string, place: Place): FormatError =>
  new FormatError(`${columns[at]}: ${reason}`, place)

/** -1, 0 and fractions mean no class. */
const classOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isInteger(value) && value > 0 ? value : undefined

/** Removes the rounding error of a sum of floats. */
const plain = (value: number): number => Math.round(value * 1e6) / 1e6
