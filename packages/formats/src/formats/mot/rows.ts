/** Reads rows of MOT files: `frame_id,track_id,x,y,w,h,confidence,class_id,visibility` and optional columns. */
import type { ZipEntry, ZipReader } from '../../archive/zip-reader.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { readInteger, readNumber } from '../../text/numbers.ts'
import { lineOf, linesIn } from '../../text/text-lines.ts'

export interface MotRow {
  location: ErrorLocation
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
  'frame_id',
  'track_id',
  'x',
  'y',
  'w',
  'h',
  'confidence',
  'class_id',
  'visibility',
  'column 10',
]

function readRow(text: string, location: ErrorLocation): MotRow {
  const values = text.split(',')
  const count = values.length
  if (count < 6 || count > 10)
    throw new FormatError(`${count} columns, expected 6 to 10 with commas between`, location)
  const x = numberAt(values, 2, location)
  const y = numberAt(values, 3, location)
  const width = numberAt(values, 4, location)
  const height = numberAt(values, 5, location)
  const last = [7, 8, 9].map((at) => optionalAt(values, at, location))
  // In files of the first years, ten columns contain world coordinates, which are hardly ever whole numbers.
  const isOfWorld = last[2] !== undefined && !last.every(Number.isInteger)
  const classId = isOfWorld ? undefined : classOf(last[0])
  const isKnown = last[1] !== -1 && (classId !== undefined || count < 10)
  return {
    location,
    frame: integerAt(values, 0, location),
    track: integerAt(values, 1, location),
    width,
    height,
    points: [x, y, plain(x + width), plain(y + height)],
    confidence: optionalAt(values, 6, location),
    classId,
    visibility: isKnown ? last[1] : undefined,
  }
}

type At<T> = (values: readonly string[], at: number, location: ErrorLocation) => T

const integerAt: At<number> = (values, at, location) =>
  readInteger(textAt(values, at), (reason) => refusal(at, reason, location))

const numberAt: At<number> = (values, at, location) =>
  readNumber(textAt(values, at), (reason) => refusal(at, reason, location))

const optionalAt: At<number | undefined> = (values, at, location) =>
  textAt(values, at) === '' ? undefined : numberAt(values, at, location)

const textAt = (values: readonly string[], at: number): string => (values[at] ?? '').trim()

const refusal = (at: number, reason: string, location: ErrorLocation): FormatError =>
  new FormatError(`${columns[at]}: ${reason}`, location)

/** -1, 0 and fractions mean no class. */
const classOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isInteger(value) && value > 0 ? value : undefined

/** Removes the rounding error of a sum of floats. */
const plain = (value: number): number => Math.round(value * 1e6) / 1e6
