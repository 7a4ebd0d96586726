/** Writes shapes as elements. */
import { orderCorners } from '@reticle/geometry'
import type { DatasetShape, DatasetShapeType, DatasetTag } from '../../model/dataset.ts'
import { escapeValue } from '../../xml/escape.ts'
import { cuboidCorners } from './elements.ts'
import type { WrittenLabel } from './written-label.ts'
import { fixed2, pairs } from './written-number.ts'

export const elementNames: Record<DatasetShapeType, string> = {
  rectangle: 'box',
  ellipse: 'ellipse',
  polygon: 'polygon',
  polyline: 'polyline',
  points: 'points',
  cuboid: 'cuboid',
  mask: 'mask',
  skeleton: 'skeleton',
}

export type Labels = ReadonlyMap<number, WrittenLabel>

type Place = Pick<DatasetShape, 'type' | 'points' | 'rotation'>

/** Formats the geometry of a shape as attributes, each with a leading blank. */
export function formatGeometry({ type, points, rotation }: Place): string {
  switch (type) {
    case 'rectangle':
      return fields(['xtl', 'ytl', 'xbr', 'ybr'], orderCorners(points)) + turned(rotation)
    case 'ellipse':
      return fields(['cx', 'cy', 'rx', 'ry'], points) + turned(rotation)
    case 'cuboid':
      return fields(cuboidFields, points)
    case 'mask':
      return maskText(points)
    case 'skeleton':
      return ''
    default:
      return ` points="${pairs(points)}"`
  }
}

const cuboidFields = cuboidCorners.flatMap((corner) => [`x${corner}`, `y${corner}`])

function fields(names: readonly string[], points: readonly number[]): string {
  let text = ''
  for (let at = 0; at < names.length; at += 1) text += ` ${names[at]}="${fixed2(points[at] ?? 0)}"`
  return text
}

const turned = (rotation: number): string => (rotation ? ` rotation="${fixed2(rotation)}"` : '')

function maskText(points: readonly number[]): string {
  const [left = 0, top = 0, right = 0, bottom = 0] = points.slice(-4)
  const box = `left="${left}" top="${top}" width="${right - left + 1}" height="${bottom - top + 1}"`
  return ` rle="${points.slice(0, -4).join(', ')}" ${box}`
}

export const bit = (is: boolean): string => (is ? '1' : '0')

export const groupText = ({ group }: { group: number }): string =>
  group ? ` group_id="${group}"` : ''

export const sourceText = ({ source }: { source: string }): string =>
  ` source="${escapeValue(source)}"`

/** Formats a shape of a frame; empty for an unknown label. */
export function shapeText(shape: DatasetShape, labels: Labels): string {
  const written = labels.get(shape.label_id)
  if (!written) return ''
  const name = elementNames[shape.type]
  const isSkeleton = shape.type === 'skeleton'
  // A skeleton is occluded where its elements are, so its own flag is written only when it is set.
  const occluded = isSkeleton && !shape.occluded ? '' : ` occluded="${bit(shape.occluded)}"`
  const head = `${written.name}${sourceText(shape)}${occluded}${formatGeometry(shape)}`
  const elements = isSkeleton ? inOrder(shape.elements, written) : shape.elements
  return `    <${name} ${head} z_order="${shape.z_order}"${groupText(shape)}>\n${elements
    .map((element) => elementText(element, labels))
    .join('')}${written.attributes(shape.attributes, '      ')}    </${name}>\n`
}

function elementText(shape: DatasetShape, labels: Labels): string {
  const written = labels.get(shape.label_id)
  if (!written) return ''
  const name = elementNames[shape.type]
  const flags = ` outside="${bit(shape.outside)}" occluded="${bit(shape.occluded)}"`
  const head = `${written.name}${sourceText(shape)}${flags}${formatGeometry(shape)}`
  const attributes = written.attributes(shape.attributes, '        ')
  return `      <${name} ${head}>\n${attributes}      </${name}>\n`
}

export function tagText(tag: DatasetTag, labels: Labels): string {
  const written = labels.get(tag.label_id)
  if (!written) return ''
  const head = `${written.name}${sourceText(tag)}${groupText(tag)}`
  return `    <tag ${head}>\n${written.attributes(tag.attributes, '      ')}    </tag>\n`
}

/** Sorts skeleton elements in the order of the label. */
export function inOrder<T extends { label_id: number }>(
  elements: readonly T[],
  { label }: WrittenLabel,
): readonly T[] {
  const order = new Map(label.sublabels.map(({ id }, index) => [id, index]))
  return elements.toSorted((a, b) => (order.get(a.label_id) ?? 0) - (order.get(b.label_id) ?? 0))
}
