import type { Shape } from '@reticle/contracts/rest/annotations'
import { type JsonFields, readList } from './fields.ts'
import { reportProblem, type ValidationReport } from './report.ts'

export type StoredShapeType = Shape['type']

/** Layouts, counts and run lengths of `points`. */

const farthest = 1e7
/** Maximum count of numbers in one object. */
export const mostNumbers = 200_000

/** Valid counts of numbers by shape type, except masks. */
const counts: Record<Exclude<StoredShapeType, 'mask'>, (count: number) => boolean> = {
  rectangle: (count) => count === 4,
  ellipse: (count) => count === 4,
  cuboid: (count) => count === 16,
  polygon: (count) => count >= 6 && count % 2 === 0,
  polyline: (count) => count >= 4 && count % 2 === 0,
  points: (count) => count >= 2 && count % 2 === 0,
  skeleton: (count) => count === 0,
}

/** Position of a mask, compared with its frame once the frame sizes are known. */
export interface MaskBox {
  path: (string | number)[]
  frame: number
  right: number
  bottom: number
}

/** Reads the numbers of a shape; a full mask in short form is expanded. */
export function readPoints(
  report: ValidationReport,
  fields: JsonFields,
  type: StoredShapeType,
  frame: number,
  masks: MaskBox[],
): number[] {
  const given = readList(report, fields, 'points')
  if (given === undefined) return []
  report.numbers += given.length
  const numbers = readNumbers(report, given)
  if (!numbers) return []
  if (type === 'mask') return readMask(report, numbers, frame, masks)
  if (!counts[type](numbers.length)) {
    reportProblem(report, 'points_invalid', `invalid length for shape type '${type}'`, 'points')
  } else if (type === 'ellipse' && ((numbers[2] ?? 0) < 0 || (numbers[3] ?? 0) < 0)) {
    reportProblem(report, 'points_invalid', 'radii of an ellipse cannot be negative', 'points')
  }
  return numbers
}

/** Reports a list or object with too many members. */
export function complainOfLength(report: ValidationReport, name: string | number): void {
  const text = `Ensure this field has no more than ${mostNumbers} elements.`
  reportProblem(report, 'points_invalid', text, name)
}

/** Returns the same list after checking that all members are numbers in range, because most of a body is numbers. */
function readNumbers(report: ValidationReport, given: unknown[]): number[] | undefined {
  if (given.length > mostNumbers) {
    complainOfLength(report, 'points')
    return undefined
  }
  if (given.every(isNear)) return given
  const index = given.findIndex((value) => !isNear(value))
  const text =
    typeof given[index] === 'number'
      ? `Ensure this value is between -${farthest} and ${farthest}.`
      : 'Value must be a float or an integer'
  reportProblem(report, 'invalid', text, 'points', index)
  return undefined
}

const isNear = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= farthest

function readMask(
  report: ValidationReport,
  given: number[],
  frame: number,
  masks: MaskBox[],
): number[] {
  const wrong = (text: string, code = 'mask_invalid') => {
    reportProblem(report, code, text, 'points')
    return given
  }
  if (given.length < 4) return wrong("invalid length for shape type 'mask'", 'points_invalid')
  if (!given.every((value) => Number.isInteger(value) && value >= 0)) {
    return wrong('run lengths and the box have to be whole numbers from 0')
  }
  const [left = 0, top = 0, right = 0, bottom = 0] = given.slice(-4)
  if (right < left || bottom < top) return wrong('the box ends before it starts')
  const area = (right - left + 1) * (bottom - top + 1)
  const runs = given.slice(0, -4)
  masks.push({ path: [...report.path, 'points'], frame, right, bottom })
  if (runs.length === 0) return [0, area, left, top, right, bottom]
  if (runs.includes(0, 1)) return wrong('only the first run may be 0')
  const sum = runs.reduce((total, run) => total + run, 0)
  return sum === area ? given : wrong(`runs cover ${sum} pixels of a box of ${area}`)
}
