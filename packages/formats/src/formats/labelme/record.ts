/** Validates one document of a LabelMe dataset and converts it to geometry and flags. */
import { boxOfPoints } from '@reticle/geometry'
import { customOf, type Flags, flagsOf, isOfTrack } from '../../importing/flags.ts'
import type { DatasetLabel } from '../../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { readFlag } from '../../text/json-fields.ts'
import { readNumber } from '../../text/numbers.ts'
import { childOf, childrenOf, sizeIn, textOf, type XmlElement } from '../../xml/tree.ts'
import { readAttributes } from './attributes.ts'

export interface LabelMeDocument {
  /** Name and folder of the image, as the document states them. */
  filename: string
  folder: string
  /** Size of the image in pixels. */
  size?: { width: number; height: number } | undefined
  /** Objects that are not deleted. */
  objects: LabelMeObject[]
}

export interface LabelMeObject {
  /** Empty when the object has no label. */
  label: string
  /** Id by which other objects refer to it. */
  id: string
  /** Ids of its parts and of the objects that it is part of. */
  related: string[]
  /** Coordinates in pixels; no points when the shape has no area. A mask is the name of its image. */
  geometry: { type: 'rectangle' | 'polygon'; points: number[] } | { type: 'mask'; picture: string }
  flags: Flags
  /** Other attributes, by name. */
  attributes: Record<string, string | number | boolean>
  username: string
  isOfTrack: boolean
  location: ErrorLocation
}

/**
 * Reads a document.
 * @throws {FormatError} that names the file, object and line of the error
 */
export function readLabelMeDocument(root: XmlElement, file: string): LabelMeDocument {
  if (root.name !== 'annotation') {
    const reason = `no LabelMe document: the root is <${root.name}>, expected <annotation>`
    throw new FormatError(reason, { file, line: root.line })
  }
  if (childOf(root, 'size') && !childOf(root, 'imagesize')) {
    const reason = 'looks like Pascal VOC, import it as Pascal VOC 1.1'
    throw new FormatError(reason, { file, line: root.line })
  }
  const objects = childrenOf(root, 'object').flatMap((element, index) => {
    const location = { file, record: `object ${index + 1}`, line: element.line }
    return flagIn(element, 'deleted', location) ? [] : readObject(element, index, location)
  })
  return {
    filename: textOf(root, 'filename') ?? '',
    folder: (textOf(root, 'folder') ?? '')
      .replaceAll('\\', '/')
      .replace(/^\/+/, '')
      .replace(/(?<!\/)\/+$/, ''),
    size: readSize(root),
    objects,
  }
}

const readSize = (root: XmlElement): LabelMeDocument['size'] =>
  sizeIn(childOf(root, 'imagesize'), 'ncols', 'nrows')

function readObject(element: XmlElement, index: number, location: ErrorLocation): LabelMeObject {
  const label = textOf(element, 'name')
  if (label === undefined) throw new FormatError('<name> is missing', location)
  const attributes = Object.fromEntries(readAttributes(textOf(element, 'attributes') ?? ''))
  const occluded = flagIn(element, 'occluded', location) ?? attributes.occluded
  const drawing = childOf(element, 'polygon') ?? childOf(element, 'segm') ?? { children: [] }
  return {
    label,
    id: textOf(element, 'id') || `object ${index + 1}`,
    related: relatedIds(element),
    geometry: readGeometry(element, location),
    flags: flagsOf({ ...attributes, occluded }, location),
    attributes,
    username: textOf(drawing, 'username') ?? '',
    isOfTrack: isOfTrack(attributes),
    location,
  }
}

function relatedIds(element: XmlElement): string[] {
  const parts = childOf(element, 'parts') ?? { children: [] }
  const lists = [textOf(parts, 'hasparts'), textOf(parts, 'ispartof')]
  return lists.flatMap((list = '') => list.split(',').map((id) => id.trim())).filter(Boolean)
}

/** Maximum number of points of an object. */
const mostPoints = 100_000

/** Reads the geometry. `bounding_box` turns a polygon into a rectangle; a mask stays a mask. */
function readGeometry(element: XmlElement, location: ErrorLocation): LabelMeObject['geometry'] {
  const polygon = childOf(element, 'polygon')
  const drawings = element.children.filter(({ name }) => name === 'polygon' || name === 'segm')
  if (drawings.length > 1)
    throw new FormatError(`it has ${drawings.length} shapes, expected one`, location)
  if (polygon) {
    const corners = childrenOf(polygon, 'pt')
    if (corners.length > mostPoints)
      throw new FormatError(`${corners.length} points, at most ${mostPoints} are allowed`, location)
    const points = corners.flatMap((point) => readPoint(point, location))
    if (textOf(element, 'type') !== 'bounding_box') return { type: 'polygon', points }
    const [x, y, width, height] = boxOfPoints(points)
    return { type: 'rectangle', points: [x, y, x + width, y + height] }
  }
  const picture = textOf(childOf(element, 'segm') ?? { children: [] }, 'mask')
  if (picture) return { type: 'mask', picture }
  if (childOf(element, 'segm')) throw new FormatError('<mask> of the <segm> is missing', location)
  const looks = childOf(element, 'bndbox') ? ', looks like Pascal VOC' : ''
  throw new FormatError(`<polygon> or <segm> is missing${looks}`, location)
}

function readPoint(point: XmlElement, { file, record }: ErrorLocation): number[] {
  const location = { file, record, line: point.line }
  return ['x', 'y'].map((name) => {
    const text = textOf(point, name)
    if (text === undefined) throw new FormatError(`<${name}> of a <pt> is missing`, location)
    return readNumber(text, (reason) => new FormatError(`${name}: ${reason}`, location))
  })
}

/** Reads a flag: 0 or 1, yes or no; undefined when empty or missing. */
function flagIn(element: XmlElement, name: string, location: ErrorLocation): boolean | undefined {
  const text = textOf(element, name)
  return text === undefined || text === '' ? undefined : readFlag(text, name, location)
}

/** Returns the values that the label may have attributes for; the user name only when the label has that attribute. */
export function customValues(
  { attributes, username }: LabelMeObject,
  label?: DatasetLabel,
): [name: string, value: unknown][] {
  const hasUser = label?.attributes.some(({ name }) => name === 'username') === true
  return customOf(hasUser ? { username, ...attributes } : attributes, label)
}
