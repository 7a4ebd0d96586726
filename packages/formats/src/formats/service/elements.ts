/** Reads the geometry and flags of shape elements. */
import { orderCorners } from '@reticle/geometry'
import type { DatasetShapeType } from '../../model/dataset.ts'
import { type Fail, readCounts, readInteger, readNumber, readPairs } from '../../text/numbers.ts'
import type { XmlAttributes } from '../../xml/scan.ts'
import { readMask } from './mask.ts'

export const shapeElements: ReadonlyMap<string, DatasetShapeType> = new Map([
  ['box', 'rectangle'],
  ['ellipse', 'ellipse'],
  ['polygon', 'polygon'],
  ['polyline', 'polyline'],
  ['points', 'points'],
  ['cuboid', 'cuboid'],
  ['mask', 'mask'],
  ['skeleton', 'skeleton'],
])

/** Corners of a cuboid in their stored order, which is by position instead of by name. */
export const cuboidCorners = ['tl1', 'bl1', 'tr1', 'br1', 'tl2', 'bl2', 'tr2', 'br2'] as const

const boxFields = ['xtl', 'ytl', 'xbr', 'ybr']
const ellipseFields = ['cx', 'cy', 'rx', 'ry']
const cuboidFields = cuboidCorners.flatMap((corner) => [`x${corner}`, `y${corner}`])

export interface ElementGeometry {
  points: number[]
  rotation: number
  isClipped: boolean
}

/**
 * Reads the geometry of a shape; undefined when it covers nothing.
 * @param size Size of the frame in pixels.
 * @throws the error that `fail` creates for missing or invalid attributes
 */
export function readGeometry(
  type: DatasetShapeType,
  attributes: XmlAttributes,
  size: { width: number; height: number },
  fail: Fail,
): ElementGeometry | undefined {
  const isTurned = type === 'rectangle' || type === 'ellipse'
  const rotation = isTurned ? readRotation(attributes, fail) : 0
  if (type === 'mask') return readMaskElement(attributes, size, fail)
  const points = readPoints(type, attributes, fail)
  const isEnough = points.length >= 2 * (leastPoints[type] ?? 0)
  return isEnough ? { points, rotation, isClipped: false } : undefined
}

const leastPoints: Partial<Record<DatasetShapeType, number>> = {
  polygon: 3,
  polyline: 2,
  points: 1,
}

function readPoints(type: DatasetShapeType, attributes: XmlAttributes, fail: Fail): number[] {
  switch (type) {
    case 'rectangle':
      return [...orderCorners(readFields(boxFields, attributes, fail))]
    case 'ellipse':
      return readEllipse(attributes, fail)
    case 'cuboid':
      return readFields(cuboidFields, attributes, fail)
    case 'skeleton':
      return []
    default:
      return readPairs(requireAttribute(attributes, 'points', fail), fail)
  }
}

function readEllipse(attributes: XmlAttributes, fail: Fail): number[] {
  const points = readFields(ellipseFields, attributes, fail)
  if ((points[2] ?? 0) < 0 || (points[3] ?? 0) < 0) throw fail('rx and ry may not be negative')
  return points
}

function readFields(names: readonly string[], attributes: XmlAttributes, fail: Fail): number[] {
  return names.map((name) =>
    readNumber(requireAttribute(attributes, name, fail), (why) => fail(`${name}: ${why}`)),
  )
}

function readMaskElement(
  attributes: XmlAttributes,
  size: { width: number; height: number },
  fail: Fail,
): ElementGeometry | undefined {
  const field = (name: string): number =>
    readInteger(requireAttribute(attributes, name, fail), fail)
  const [left, top] = [field('left'), field('top')]
  const [width, height] = [field('width'), field('height')]
  const counts = readCounts(requireAttribute(attributes, 'rle', fail), fail)
  const { points, isClipped } = readMask(counts, { left, top, width, height }, size, fail)
  return points && { points, rotation: 0, isClipped }
}

/**
 * Returns a required attribute.
 * @throws the error that `fail` creates when it is missing
 */
export function requireAttribute(attributes: XmlAttributes, name: string, fail: Fail): string {
  const text = attributes[name]
  if (text === undefined) throw fail(`the attribute ${name} is missing`)
  return text
}

/** Returns degrees in [0, 360). */
function readRotation(attributes: XmlAttributes, fail: Fail): number {
  const text = attributes.rotation
  const rest = text === undefined ? 0 : readNumber(text, fail) % 360
  return rest < 0 ? rest + 360 : rest
}

/** Returns a whole number, or 0 when it is missing. */
export function readCount(attributes: XmlAttributes, name: string, fail: Fail): number {
  const text = attributes[name]
  const value = text === undefined ? 0 : readInteger(text, (why) => fail(`${name}: ${why}`))
  if (Math.abs(value) <= largest) return value
  throw fail(`${name}: ${value} is not within ${-largest} to ${largest}`)
}

const largest = 2_147_483_647

/** Returns a boolean, or undefined when it is missing. */
export function readFlag(attributes: XmlAttributes, name: string, fail: Fail): boolean | undefined {
  const text = attributes[name]
  if (text === undefined) return undefined
  if (text === '1' || text === '0') return text === '1'
  const isYes = flags.get(text.toLowerCase())
  if (isYes === undefined) throw fail(`${name}: "${text.slice(0, 40)}" is neither 0 nor 1`)
  return isYes
}

const flags = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
])
