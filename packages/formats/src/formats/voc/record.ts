/** Validates one document of a Pascal VOC dataset and converts it to boxes and flags. */
import { orderCorners } from '@reticle/geometry'
import { customOf, type Flags, flagsOf, isOfTrack } from '../../importing/flags.ts'
import type { DatasetLabel } from '../../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { readFlag } from '../../text/json-fields.ts'
import { readNumber } from '../../text/numbers.ts'
import { childOf, childrenOf, sizeIn, textOf, type XmlElement } from '../../xml/tree.ts'

export interface VocDocument {
  /** File name of the image, as the document states it. */
  filename?: string | undefined
  /** Size of the image in pixels. */
  size?: { width: number; height: number } | undefined
  objects: VocObject[]
}

export interface VocObject {
  /** Empty when the object has no label. */
  label: string
  /** Left, top, right, bottom in pixels. */
  points: readonly number[]
  flags: Flags
  /** Other attributes. */
  attributes: Record<string, string>
  /** Fields and actions that every object has: true or false, or the text of its pose. */
  common: Record<string, boolean | string>
  /** True when it has boxes of parts, which are not imported. */
  hasParts: boolean
  /** True when it has a polygon next to the box, which is not imported. */
  hasPolygon: boolean
  isOfTrack: boolean
  location: ErrorLocation
}

/**
 * Reads a document.
 * @throws {FormatError} that names the file, object and line of the error
 */
export function readVocDocument(root: XmlElement, file: string): VocDocument {
  if (root.name !== 'annotation') {
    const reason = `no Pascal VOC document: the root is <${root.name}>, expected <annotation>`
    throw new FormatError(reason, { file, line: root.line })
  }
  if (childOf(root, 'imagesize') && !childOf(root, 'size'))
    throw new FormatError('looks like LabelMe, import it as LabelMe 3.0', { file, line: root.line })
  const objects = childrenOf(root, 'object').map((element, index) =>
    readObject(element, { file, record: `object ${index + 1}`, line: element.line }),
  )
  return {
    filename: textOf(root, 'filename'),
    size: sizeIn(childOf(root, 'size'), 'width', 'height'),
    objects,
  }
}

function readObject(element: XmlElement, location: ErrorLocation): VocObject {
  const polygon = childOf(element, 'polygon') ?? childOf(element, 'segm')
  if (polygon && !childOf(element, 'bndbox'))
    throw new FormatError('looks like LabelMe, import it as LabelMe 3.0', location)
  const label = textOf(element, 'name')
  if (label === undefined) throw new FormatError('<name> is missing', location)
  const attributes = readAttributes(element, location)
  const occluded = flagIn(element, 'occluded', location) ?? attributes.occluded
  return {
    label,
    points: readBox(element, location),
    flags: flagsOf({ ...attributes, occluded }, location),
    attributes,
    common: readCommon(element, location),
    hasParts: childOf(element, 'part') !== undefined,
    hasPolygon: polygon !== undefined,
    isOfTrack: isOfTrack(attributes),
    location,
  }
}

function readBox(element: XmlElement, location: ErrorLocation): readonly number[] {
  const box = childOf(element, 'bndbox')
  if (!box) {
    const hint = childOf(element, 'robndbox') ? ', turned boxes as <robndbox> are not read' : ''
    throw new FormatError(`<bndbox> is missing${hint}`, location)
  }
  const sides = ['xmin', 'ymin', 'xmax', 'ymax'].map((name) => {
    const text = textOf(box, name)
    if (text === undefined) throw new FormatError(`<${name}> of the <bndbox> is missing`, location)
    return readNumber(text, (reason) => new FormatError(`${name}: ${reason}`, location))
  })
  return orderCorners(sides)
}

/** Reads a field of 0 or 1; placeholders for unknown values count as 0. */
function flagIn(
  element: Pick<XmlElement, 'children'>,
  name: string,
  location: ErrorLocation,
): boolean | undefined {
  const text = textOf(element, name)
  if (text === undefined) return undefined
  return text === '' || /^unspecified$/i.test(text) ? false : readFlag(text, name, location)
}

function readCommon(element: XmlElement, location: ErrorLocation): VocObject['common'] {
  const common: [string, boolean | string][] = []
  for (const name of ['truncated', 'difficult']) {
    const flag = flagIn(element, name, location)
    if (flag !== undefined) common.push([name, flag])
  }
  const pose = textOf(element, 'pose')
  if (pose) common.push(['pose', pose])
  const actions = childOf(element, 'actions') ?? { children: [] }
  for (const { name } of actions.children)
    common.push([name, flagIn(actions, name, location) ?? false])
  return Object.fromEntries(common)
}

function readAttributes(element: XmlElement, location: ErrorLocation): Record<string, string> {
  const attributes = childrenOf(childOf(element, 'attributes') ?? { children: [] }, 'attribute')
  const pairs = attributes.map((attribute): [string, string] => {
    const name = textOf(attribute, 'name')
    if (!name) throw new FormatError('<name> of an <attribute> is missing', location)
    return [name, childOf(attribute, 'value')?.text ?? '']
  })
  return Object.fromEntries(pairs)
}

/**
 * Returns the values that the label may have attributes for; fields of every object only if the label has the
 * attribute or the value is set.
 */
export function customValues(
  { attributes, common }: VocObject,
  label?: DatasetLabel,
): [name: string, value: unknown][] {
  const specs = new Map(label?.attributes.map((spec) => [spec.name, spec]))
  const said = Object.entries(common).flatMap(([name, value]): [string, unknown][] => {
    const spec = specs.get(name)
    if (!spec) return isSet(value) ? [[name, value]] : []
    const isNumber = typeof value === 'boolean' && spec.input_type !== 'checkbox'
    return [[name, isNumber ? Number(value) : value]]
  })
  return customOf({ ...Object.fromEntries(said), ...attributes }, label)
}

const isSet = (value: boolean | string): boolean => value !== false && value !== 'Unspecified'
