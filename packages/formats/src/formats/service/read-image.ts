/** Reads `<image>`: shapes and tags of one frame. */
import type { FileItem } from '../../importing/item-frames.ts'
import type { DatasetShape, DatasetShapeType, TargetFrame } from '../../model/dataset.ts'
import { readInteger } from '../../text/numbers.ts'
import type { XmlAttributes } from '../../xml/scan.ts'
import { type ElementReader, ignoredElement } from './element-reader.ts'
import { readCount, readFlag, readGeometry, shapeElements } from './elements.ts'
import {
  acceptsShapeType,
  createFail,
  currentLocation,
  type ImportState,
  labelOf,
  queueAnnotation,
  reportSkipped,
} from './import-state.ts'
import { inOrderOfParts, type NamedLabel, partOf, type ValuesBySpec } from './named-label.ts'
import { createAttributeReader } from './read-values.ts'

/** Creates the reader of an image. */
export function createImageReader(state: ImportState, attributes: XmlAttributes): ElementReader {
  const name = attributes.name
  const id = attributes.id
  const record = `image ${name ?? id}`
  const fail = createFail(state, record)
  if (name === undefined && id === undefined) throw fail('it has neither name nor id')
  const number = id === undefined ? undefined : readInteger(id, (why) => fail(`id: ${why}`))
  const item: FileItem = {
    name: name ?? `${id}`,
    frame: state.frames.ofImage({ name, number }, attributes),
    size: declaredSize(attributes),
  }
  return {
    open(element, own) {
      const type = shapeElements.get(element)
      if (element === 'image' || element === 'track') throw fail(`<${element}> within an <image>`)
      if (!type && element !== 'tag') return ignoredElement
      const frame = state.comparison.items.frameFor(item, { file: state.file, record })
      if (!frame) return ignoredElement
      const named = labelOf(state, own, record)
      if (!named) return ignoredElement
      const found = { named, frame, record }
      return type ? topShape(state, { ...found, type }, own) : tagReader(state, found, own)
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

function tagReader(state: ImportState, found: Found, attributes: XmlAttributes): ElementReader {
  const { named, frame, record } = found
  const group = readGroup(state, attributes, record)
  const values: ValuesBySpec = new Map()
  const annotation = { frame: frame.frame, label_id: named.label.id, group, source: 'file' }
  return {
    open: (element, own) => createInnerReader(state, { named, values, record }, element, own),
    close() {
      queueAnnotation(state, {
        kind: 'tag',
        tag: { ...annotation, attributes: [...values.values()] },
      })
    },
  }
}

export function readGroup(state: ImportState, attributes: XmlAttributes, record: string): number {
  const fail = createFail(state, record)
  const group = readCount(attributes, 'group_id', fail)
  if (group < 0) throw fail(`group_id: ${group} is below 0`)
  return group
}

function topShape(
  state: ImportState,
  found: Found & { type: DatasetShapeType },
  attributes: XmlAttributes,
): ElementReader {
  const { type, named, record } = found
  if (!acceptsShapeType(state, named, type, record)) return ignoredElement
  const group = readGroup(state, attributes, record)
  return shapeReader(state, found, attributes, (shape) => {
    if (type === 'skeleton' && shape.elements.length === 0) {
      reportSkipped(state, 'degenerate-shape', 'the skeleton has no points', record)
    } else if (type === 'rectangle' && isFlat(shape.points)) {
      reportSkipped(state, 'degenerate-shape', 'the shape has no area', record)
    } else {
      const ordered = { ...shape, group, elements: inOrderOfParts(named, shape.elements) }
      queueAnnotation(state, { kind: 'shape', shape: ordered }, 1 + shape.elements.length)
    }
  })
}

function isFlat([left, top, right, bottom]: readonly number[]): boolean {
  return left === right || top === bottom
}

function shapeReader(
  state: ImportState,
  found: Found & { type: DatasetShapeType },
  attributes: XmlAttributes,
  done: (shape: DatasetShape) => void,
): ElementReader {
  const { type, named, frame, record } = found
  const fail = createFail(state, record)
  const geometry = readGeometry(type, attributes, frame, fail)
  if (!geometry) {
    reportSkipped(state, 'degenerate-shape', 'the shape has too few points or pixels', record)
    return ignoredElement
  }
  if (geometry.isClipped) noteClipped(state, record)
  const { points, rotation } = geometry
  const values: ValuesBySpec = new Map()
  const elements: DatasetShape[] = []
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
        return createInnerReader(state, { named, values, record }, element, own)
      }
      const part = partOf(named, own.label ?? '', () => currentLocation(state, record))
      return shapeReader(state, { ...found, type: partType, named: part }, own, (shape) => {
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

export function noteClipped(state: ImportState, record: string): void {
  state.run.report.note('converted', 'clipped', 'the mask reached beyond its frame', {
    file: state.file,
    item: record,
  })
}

/** Creates the reader of elements in a shape or tag other than skeleton elements. */
export function createInnerReader(
  state: ImportState,
  owner: Parameters<typeof createAttributeReader>[1],
  element: string,
  attributes: XmlAttributes,
): ElementReader {
  if (element === 'attribute') return createAttributeReader(state, owner, attributes)
  if (shapeElements.has(element) || misplacedElements.has(element)) {
    throw createFail(state, owner.record)(`<${element}> within a shape or tag`)
  }
  return ignoredElement
}

const misplacedElements = new Set(['image', 'track', 'tag', 'annotations', 'meta'])
