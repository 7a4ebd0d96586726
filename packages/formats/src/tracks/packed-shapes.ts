/** Stores shapes of tracks as plain numbers outside the object heap: about 60 bytes for a rectangle. */

import { type AttributeValue, type DatasetTrackShape, shapeTypes } from '../model/dataset.ts'
import { FormatError } from '../report/errors.ts'

export interface PackedShapes {
  /**
   * Adds a shape. Shapes form chains: each one stores the position of its predecessor.
   * @returns the position of this shape, for the methods below
   * @throws {FormatError} when the limit is exceeded
   */
  add(shape: DatasetTrackShape, before: number): number
  read(at: number): DatasetTrackShape
  frameAt(at: number): number
  before(at: number): number
}

export interface PackedShapesOptions {
  /** Maximum count of numbers (default 1 GiB of them); the heap limit of a thread does not cover this memory. */
  most?: number
  /** Count of numbers that are allocated at a time. */
  blockLength?: number
}

/** Form of a shape: its type, these flags, and in the higher bits the count of its coordinates. */
const flags = { occluded: 8, outside: 16, keyframe: 32, hasMore: 64 }
const formSize = 128

/**
 * Creates an empty store. A record contains: predecessor, frame, form, coordinates; and with `hasMore` z order,
 * rotation, count of values, and for each value its attribute and the value.
 */
export function createPackedShapes(options: PackedShapesOptions = {}): PackedShapes {
  const numbers = numberList(options)
  const texts = textList()

  function addMore({ z_order, rotation, attributes }: DatasetTrackShape): void {
    for (const one of [z_order, rotation, attributes.length]) numbers.push(one)
    for (const { spec_id, value } of attributes) {
      const number = Number(value)
      const isText = String(number) !== value
      numbers.push(2 * spec_id + Number(isText))
      numbers.push(isText ? texts.indexOf(value) : number)
    }
  }

  function readMore(at: number): Pick<DatasetTrackShape, 'z_order' | 'rotation' | 'attributes'> {
    const attributes = listOf(numbers.at(at + 2), (index): AttributeValue => {
      const spec = numbers.at(at + 3 + 2 * index)
      const value = numbers.at(at + 4 + 2 * index)
      const isText = spec % 2 === 1
      return { spec_id: Math.floor(spec / 2), value: isText ? texts.at(value) : String(value) }
    })
    return { z_order: numbers.at(at), rotation: numbers.at(at + 1), attributes }
  }

  return {
    add(shape, before) {
      const at = numbers.length()
      const form = formOf(shape)
      numbers.push(before)
      numbers.push(shape.frame)
      numbers.push(form)
      for (const point of shape.points) numbers.push(point)
      if (form & flags.hasMore) addMore(shape)
      return at
    },
    read(at) {
      const form = numbers.at(at + 2)
      const first = at + 3
      const points = listOf(Math.floor(form / formSize), (index) => numbers.at(first + index))
      const { z_order, rotation, attributes } =
        form & flags.hasMore ? readMore(first + points.length) : usual
      return {
        type: shapeTypes[form % shapeTypes.length] ?? 'rectangle',
        frame: numbers.at(at + 1),
        points,
        occluded: (form & flags.occluded) !== 0,
        outside: (form & flags.outside) !== 0,
        keyframe: (form & flags.keyframe) !== 0,
        z_order,
        rotation,
        attributes,
      }
    },
    frameAt: (at) => numbers.at(at + 1),
    before: (at) => numbers.at(at),
  }
}

/** Defaults that are not stored. */
const usual = { z_order: 0, rotation: 0, attributes: [] }

function formOf(shape: DatasetTrackShape): number {
  const { type, occluded, outside, keyframe, z_order, rotation, attributes, points } = shape
  const hasMore = z_order !== 0 || rotation !== 0 || attributes.length > 0
  const low = Number(occluded) * flags.occluded + Number(outside) * flags.outside
  const high = Number(keyframe) * flags.keyframe + Number(hasMore) * flags.hasMore
  return shapeTypes.indexOf(type) + low + high + formSize * points.length
}

// ---- lists

/** Builds a list with its exact length: a list that grows allocates far more than the few elements that most have. */
function listOf<T>(length: number, at: (index: number) => T): T[] {
  const list = new Array<T>(length)
  for (let index = 0; index < length; index += 1) list[index] = at(index)
  return list
}

/** List that grows by blocks, so that nothing is copied and no memory is held twice. */
function numberList({ most = 2 ** 27, blockLength = 65_536 }: PackedShapesOptions) {
  const blocks: Float64Array[] = []
  let latest = new Float64Array()
  let length = 0
  return {
    length: () => length,
    push(number: number): void {
      if (length === most) throw new FormatError(`tracks of more than ${most} numbers`)
      const at = length % blockLength
      if (at === 0) {
        latest = new Float64Array(blockLength)
        blocks.push(latest)
      }
      latest[at] = number
      length += 1
    },
    at: (index: number): number =>
      blocks[Math.floor(index / blockLength)]?.[index % blockLength] ?? 0,
  }
}

/** Stores each text once. */
function textList() {
  const indexes = new Map<string, number>()
  const texts: string[] = []
  return {
    indexOf(text: string): number {
      const known = indexes.get(text)
      if (known !== undefined) return known
      indexes.set(text, texts.length)
      return texts.push(text) - 1
    },
    at: (index: number): string => texts[index] ?? '',
  }
}
