/** Reads the boxes of an image, one per line. */
import { orderCorners, round2 } from '@reticle/geometry'
import type { ZipReader } from '../../archive/zip-reader.ts'
import type { ItemShape } from '../../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { floatText, readInteger, readNumber } from '../../text/numbers.ts'
import { lineOf, linesIn } from '../../text/text-lines.ts'

export interface KittiObject {
  type: string
  /** 0 means not truncated. */
  truncated: number
  occluded: boolean
  /** x1, y1, x2, y2. */
  points: readonly number[]
  /** Value as written; undefined when the column is missing. */
  score: number | undefined
  location: ErrorLocation
}

/** Class of areas that evaluations ignore. */
export const dontCare = 'DontCare'

export async function* readObjects(zip: ZipReader, file: string): AsyncGenerator<KittiObject> {
  const entry = zip.files.get(file)
  if (!entry) return
  for await (const lines of linesIn(zip.stream(entry), file))
    for (const line of lines)
      if (line.text.trim() !== '') yield readObject(line.text.trim(), lineOf(file, line))
}

/** Parses a line. Three-dimensional values are ignored. */
function readObject(text: string, location: ErrorLocation): KittiObject {
  const columns = text.split(/\s+/)
  if (columns.length !== 15 && columns.length !== 16)
    throw new FormatError(`${columns.length} columns, expected 15 or 16`, location)
  const fail = (name: string) => (reason: string) => new FormatError(`${name}: ${reason}`, location)
  const [type = '', truncated = '', occluded = ''] = columns
  const points = orderCorners(columns.slice(4, 8).map((one) => readNumber(one, fail('box'))))
  const score = columns[15] === undefined ? undefined : readNumber(columns[15], fail('score'))
  return {
    type,
    truncated: Math.max(0, readNumber(truncated, fail('truncated'))),
    occluded: readInteger(occluded, fail('occluded')) > 0,
    points,
    score,
    location,
  }
}

export function objectLine(type: string, truncated: number, shape: ItemShape): string {
  const { occluded, points, score } = shape
  const box = points.map((value) => floatText(round2(value))).join(' ')
  const unknown = '-1 -1 -1 -1 -1 -1 -1'
  const flags = `${floatText(truncated)} ${occluded ? 1 : 0} -1`
  return `${type} ${flags} ${box} ${unknown} ${floatText(score)}\n`
}
