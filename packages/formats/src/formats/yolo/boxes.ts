/** Reads a text of boxes, one per line. */

import type { RelativeBox } from '../../image/relative-box.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { readInteger, readNumber } from '../../text/numbers.ts'
import { type Line, lineOf, linesOf } from '../../text/text-lines.ts'
import type { YoloItem, YoloSet } from './set.ts'

export interface YoloBox {
  number: number
  share: RelativeBox
  score: number
  location: ErrorLocation
}

/** Reads the boxes of an image; undefined when its text turns out not to contain boxes. */
export async function readBoxes(
  { boxes, isGuess }: YoloItem,
  { zip }: YoloSet,
): Promise<YoloBox[] | undefined> {
  const entry = boxes === undefined ? undefined : zip.files.get(boxes)
  if (!entry) return []
  const lines = linesOf(await zip.bytes(entry), entry.name).filter(({ text }) => text !== '')
  if (isGuess && isProse(lines)) return undefined
  return lines.map((line) => readBox(line, entry.name))
}

/** Returns whether the first line has no number: a list of names, or a text for readers. */
const isProse = ([first]: readonly Line[]): boolean =>
  first !== undefined &&
  !first.text.split(/[\s,;]+/).some((field) => /^[-+]?\.?\d[\d.]*(?:e[-+]?\d+)?$/i.test(field))

function readBox(line: Line, file: string): YoloBox {
  const location = lineOf(file, line)
  const fail = (reason: string) => new FormatError(reason, location)
  const fields = line.text.trim().split(/\s+/)
  if (fields.length !== 5 && fields.length !== 6) throw fail(wrongCount(fields.length))
  const [id = '', ...rest] = fields
  const number = readInteger(id, (reason) => fail(`label id: ${reason}`))
  const [cx = 0, cy = 0, width = 0, height = 0, score = 1] = rest.map((text) =>
    readNumber(text, fail),
  )
  if (cx > 1 && cy > 1 && width > 1 && height > 1 && Math.max(cx, cy) > mostShare)
    throw fail('the box looks like one in pixels, expected shares of the image from 0 to 1')
  if (score < 0 || score > 1) throw fail(wrongScore(score))
  return { number, share: [cx, cy, width, height], score, location }
}

/** A box with sides above 1 and a centre beyond this value must be in pixels, not relative. */
const mostShare = 10

function wrongScore(score: number): string {
  const hint = Number.isInteger(score) ? '; this looks like the number of a track' : ''
  return `the confidence is ${score}, expected 0 to 1${hint}`
}

function wrongCount(count: number): string {
  const hint = count > 6 ? '; this looks like segmentation, keypoints or turned boxes' : ''
  return `${count} fields, expected "id cx cy w h" with blanks between, and a confidence at most${hint}`
}
