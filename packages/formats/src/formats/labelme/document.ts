/** Writes the XML document of an image. */
import { boxCorners, round2 } from '@reticle/geometry'
import type { DatasetLabel, ItemFrame, ItemShape } from '../../model/dataset.ts'
import { writtenValues } from '../../model/labels.ts'
import { floatText } from '../../text/numbers.ts'
import { escapeText } from '../../xml/escape.ts'
import { type AttributeText, writeAttributes } from './attributes.ts'

export interface WrittenObject {
  shape: ItemShape
  label: DatasetLabel
  /** Only for shapes that are written as masks: the name of the mask image, and left, top, right, bottom in pixels. */
  mask?: { picture: string; box: readonly number[] }
}

/**
 * Formats a document.
 * @throws {FormatError} that names frame, label and attribute of an invalid value
 */
export function documentText(frame: ItemFrame, objects: readonly WrittenObject[]): string {
  const { path, width, height } = frame
  const slash = path.lastIndexOf('/')
  const groups = membersOfGroups(objects)
  const texts = objects.map((object, id) => {
    const members = groups.get(object.shape.group) ?? []
    return objectText(object, id, members, path)
  })
  return `<annotation>
  <filename>${escapeText(path.slice(slash + 1))}</filename>
  <folder>${escapeText(path.slice(0, Math.max(0, slash)))}</folder>
  <source>
    <sourceImage></sourceImage>
    <sourceAnnotation>Service</sourceAnnotation>
  </source>
  <imagesize>
    <nrows>${height}</nrows>
    <ncols>${width}</ncols>
  </imagesize>
${texts.join('')}</annotation>
`
}

function objectText(
  object: WrittenObject,
  id: number,
  members: readonly number[],
  file: string,
): string {
  const { shape, label } = object
  const values = new Map<string, AttributeText[1]>(
    writtenValues(label, shape.attributes, { file, record: label.name }),
  )
  const username = escapeText(String(values.get('username') ?? ''))
  values.delete('username')
  const [parts, whole] = relations(id, members)
  return `  <object>
    <name>${escapeText(label.name)}</name>
    <deleted>0</deleted>
    <verified>0</verified>
    <occluded>${shape.occluded ? 'yes' : 'no'}</occluded>
    <date></date>
    <id>${id}</id>
    <parts>
      <hasparts>${parts}</hasparts>
      <ispartof>${whole}</ispartof>
    </parts>
${geometryText(object, username)}\
    <attributes>${escapeText(attributesText(values, shape))}</attributes>
  </object>
`
}

/** Returns the ids of the objects of each group. */
function membersOfGroups(objects: readonly WrittenObject[]): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const [id, { shape }] of objects.entries()) {
    const members = groups.get(shape.group)
    if (members) members.push(id)
    else if (shape.group > 0) groups.set(shape.group, [id])
  }
  return groups
}

/** Returns the relations of an object: the first of a group has the others as parts. */
function relations(id: number, members: readonly number[]): [parts: string, whole: string] {
  const [leader = id, ...others] = members
  return leader === id ? [others.join(), ''] : ['', String(leader)]
}

function geometryText({ shape, mask }: WrittenObject, username: string): string {
  if (mask) {
    const sides = ['xmin', 'ymin', 'xmax', 'ymax'].map(
      (name, side) => `        <${name}>${(mask.box[side] ?? 0).toFixed(2)}</${name}>\n`,
    )
    return `    <segm>
      <mask>${escapeText(mask.picture)}</mask>
      <box>
${sides.join('')}      </box>
      <username>${username}</username>
    </segm>
`
  }
  const isBox = shape.type === 'rectangle'
  const points = isBox ? boxCorners(shape.points) : shape.points
  return `${isBox ? '    <type>bounding_box</type>\n' : ''}    <polygon>
${pointTexts(points).join('')}      <username>${username}</username>
    </polygon>
`
}

const pointTexts = (points: readonly number[]): string[] =>
  points.flatMap((x, at) =>
    at % 2 === 0
      ? `      <pt>
        <x>${round2(x).toFixed(2)}</x>
        <y>${round2(points[at + 1] ?? 0).toFixed(2)}</y>
      </pt>
`
      : [],
  )

/** Returns the attributes of the label, then fields that the format itself does not have. */
function attributesText(
  values: Map<string, AttributeText[1]>,
  { type, rotation, track_id, keyframe }: ItemShape,
): string {
  const more: AttributeText[] =
    track_id === undefined
      ? []
      : [
          ['track_id', track_id],
          ['keyframe', keyframe === true],
        ]
  for (const name of ['rotation', 'track_id', 'keyframe']) values.delete(name)
  const turned = type === 'rectangle' ? `rotation=${floatText(rotation)}` : ''
  return [writeAttributes(values), turned, writeAttributes(more)].filter(Boolean).join(', ')
}
