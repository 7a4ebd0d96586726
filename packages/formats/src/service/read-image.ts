/** Reads `<image>`: shapes and tags of one frame. */
import type { FileItem } from '../item-frames.ts'
import type { Shape, ShapeType, TargetFrame } from '../model.ts'
import { readInteger } from '../numbers.ts'
import type { XmlAttributes } from '../xml/scan.ts'
import { type Context, passedOver } from './context.ts'
import { readCount, readFlag, readGeometry, shapeElements } from './elements.ts'
import { inOrderOfParts, type NamedLabel, partOf, type Values } from './named-label.ts'
import { attributeContext } from './read-values.ts'
import { failing, fits, give, labelOf, placeOf, type Reading, skip } from './reading.ts'

/** Creates the reader of an image. */
export function imageContext(reading: Reading, attributes: XmlAttributes): Context {
  const name = attributes.name
  const id = attributes.id
  const record = `image ${name ?? id}`
  const fail = failing(reading, record)
  if (name === undefined && id === undefined) throw fail('it has neither name nor id')
  const number = id === undefined ? undefined : readInteger(id, (why) => fail(`id: ${why}`))
  const item: FileItem = {
    name: name ?? `${id}`,
    frame: reading.frames.ofImage({ name, number }, attributes),
    size: declaredSize(attributes),
  }
  return {
    open(element, own) {
      const type = shapeElements.get(element)
      if (element === 'image' || element === 'track') throw fail(`<${element}> within an <image>`)
      if (!type && element !== 'tag') return passedOver
      const frame = reading.comparison.items.frameFor(item, { file: reading.file, record })
      if (!frame) return passedOver
      const named = labelOf(reading, own, record)
      if (!named) return passedOver
      const found = { named, frame, record }
      return type ? topShape(reading, { ...found, type }, own) : tagContext(reading, found, own)
    },
    close: () => undefined,
  }
}

/** Returns the declared size; undefined when a side is missing or not a number. */
function declaredSize({ width, height }: XmlAttributes): FileItem['size'] {
  const size = { width: Number(width), height: Number(height) }
  return [size.width, size.height].every((one) => Number.isInteger(one) && one > 0)
    ? size
    : undefined
}

interface Found {
  named: NamedLabel
  frame: TargetFrame
  /** Name of the image, for messages. */
  record: string
}

function tagContext(reading: Reading, found: Found, attributes: XmlAttributes): Context {
  const { named, frame, record } = found
  const group = readGroup(reading, attributes, record)
  const values: Values = new Map()
  const annotation = { frame: frame.frame, label_id: named.label.id, group, source: 'file' }
  return {
    open: (element, own) => inside(reading, { named, values, record }, element, own),
    close() {
      give(reading, { kind: 'tag', tag: { ...annotation, attributes: [...values.values()] } })
    },
  }
}

export function readGroup(reading: Reading, attributes: XmlAttributes, record: string): number {
  const fail = failing(reading, record)
  const group = readCount(attributes, 'group_id', fail)
  if (group < 0) throw fail(`group_id: ${group} is below 0`)
  return group
}

function topShape(
  reading: Reading,
  found: Found & { type: ShapeType },
  attributes: XmlAttributes,
): Context {
  const { type, named, record } = found
  if (!fits(reading, named, type, record)) return passedOver
  const group = readGroup(reading, attributes, record)
  return shapeContext(reading, found, attributes, (shape) => {
    if (type === 'skeleton' && shape.elements.length === 0) {
      skip(reading, 'degenerate-shape', 'the skeleton has no points', record)
    } else if (type === 'rectangle' && isFlat(shape.points)) {
      skip(reading, 'degenerate-shape', 'the shape has no area', record)
    } else {
      const ordered = { ...shape, group, elements: inOrderOfParts(named, shape.elements) }
      give(reading, { kind: 'shape', shape: ordered }, 1 + shape.elements.length)
    }
  })
}

function isFlat([left, top, right, bottom]: readonly number[]): boolean {
  return left === right || top === bottom
}

function shapeContext(
  reading: Reading,
  found: Found & { type: ShapeType },
  attributes: XmlAttributes,
  done: (shape: Shape) => void,
): Context {
  const { type, named, frame, record } = found
  const fail = failing(reading, record)
  const geometry = readGeometry(type, attributes, frame, fail)
  if (!geometry) {
    skip(reading, 'degenerate-shape', 'the shape has too few points or pixels', record)
    return passedOver
  }
  if (geometry.isClipped) noteClipped(reading, record)
  const { points, rotation } = geometry
  const values: Values = new Map()
  const elements: Shape[] = []
  const flags = {
    occluded: readFlag(attributes, 'occluded', fail) ?? false,
    outside: readFlag(attributes, 'outside', fail) ?? false,
    z_order: readCount(attributes, 'z_order', fail),
  }
  const common = {
    frame: frame.frame,
    label_id: named.label.id,
    group: 0,
    source: 'file',
    score: 1,
  }
  return {
    open(element, own) {
      const partType = type === 'skeleton' ? shapeElements.get(element) : undefined
      if (!partType || partType === 'skeleton') {
        return inside(reading, { named, values, record }, element, own)
      }
      const part = partOf(named, own.label ?? '', () => placeOf(reading, record))
      return shapeContext(reading, { ...found, type: partType, named: part }, own, (shape) => {
        if (elements.some(({ label_id }) => label_id === shape.label_id))
          throw fail(`the point '${part.label.name}' is given twice`)
        elements.push(shape)
      })
    },
    close() {
      const attributes = [...values.values()]
      done({ type, ...common, ...flags, points, rotation, attributes, elements })
    },
  }
}

export function noteClipped(reading: Reading, record: string): void {
  reading.run.report.note('converted', 'clipped', 'the mask reached beyond its frame', {
    file: reading.file,
    item: record,
  })
}

/** Creates the reader of elements in a shape or tag other than skeleton elements. */
export function inside(
  reading: Reading,
  owner: Parameters<typeof attributeContext>[1],
  element: string,
  attributes: XmlAttributes,
): Context {
  if (element === 'attribute') return attributeContext(reading, owner, attributes)
  if (shapeElements.has(element) || misplaced.has(element)) {
    throw failing(reading, owner.record)(`<${element}> within a shape or tag`)
  }
  return passedOver
}

const misplaced = new Set(['image', 'track', 'tag', 'annotations', 'meta'])
