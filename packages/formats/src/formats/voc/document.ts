/** Writes the XML document of an image. */
import { round2 } from '@reticle/geometry'
import type { DatasetLabel, ItemFrame, ItemShape } from '../../model/dataset.ts'
import { writtenValues } from '../../model/labels.ts'
import { floatText } from '../../text/numbers.ts'
import { escapeText } from '../../xml/escape.ts'

export interface PictureText {
  /** Id of the image, as in the lists. */
  id: string
  frame: ItemFrame
  /** Boxes in the order in which they are written, with their labels. */
  boxes: readonly { shape: ItemShape; label: DatasetLabel }[]
  /** True when the image has masks. */
  isSegmented: boolean
}

/**
 * Formats a document.
 * @throws {FormatError} that names frame, label and attribute of an invalid value
 */
export function documentText({ id, frame, boxes, isSegmented }: PictureText): string {
  const { path, width, height } = frame
  return `<annotation>
  <folder>${escapeText(folderOf(id))}</folder>
  <filename>${escapeText(path)}</filename>
  <source>
    <database>Unknown</database>
    <annotation>Unknown</annotation>
    <image>Unknown</image>
  </source>
  <size>
    <width>${width}</width>
    <height>${height}</height>
    <depth></depth>
  </size>
  <segmented>${isSegmented ? 1 : 0}</segmented>
${boxes.map(({ shape, label }) => objectText(shape, label, path)).join('')}</annotation>
`
}

/** Returns the folder of an id: `2007` for `2007_000001`. */
const folderOf = (id: string): string => id.slice(0, Math.max(0, id.indexOf('_')))

function objectText(shape: ItemShape, label: DatasetLabel, file: string): string {
  const values = new Map(writtenValues(label, shape.attributes, { file, record: label.name }))
  const pose = values.get('pose')
  values.delete('pose')
  const flag = (name: string): string => takeFlag(values, name)
  const [xmin, ymin, xmax, ymax] = shape.points.map((value) => floatText(round2(value)))
  return `  <object>
    <name>${escapeText(label.name)}</name>
${pose === undefined ? '' : `    <pose>${escapeText(String(pose))}</pose>\n`}\
    <truncated>${flag('truncated')}</truncated>
    <occluded>${shape.occluded ? 1 : 0}</occluded>
    <difficult>${flag('difficult')}</difficult>
    <bndbox>
      <xmin>${xmin}</xmin>
      <ymin>${ymin}</ymin>
      <xmax>${xmax}</xmax>
      <ymax>${ymax}</ymax>
    </bndbox>
    <attributes>
${attributeTexts(values, shape).join('')}    </attributes>
  </object>
`
}

/** Takes the value of a field of 0 or 1; a value of another kind stays among the attributes. */
function takeFlag(values: Map<string, string | number | boolean>, name: string): string {
  const value = values.get(name)
  const text = String(typeof value === 'boolean' ? Number(value) : value)
  if (text !== '0' && text !== '1') return '0'
  values.delete(name)
  return text
}

/** Returns the attributes of the label, then fields that the format itself does not have. */
function attributeTexts(
  values: ReadonlyMap<string, string | number | boolean>,
  { rotation, track_id, keyframe }: ItemShape,
): string[] {
  const texts = new Map([...values].map(([name, value]) => [name, valueText(value)]))
  texts.set('rotation', floatText(rotation))
  if (track_id !== undefined) {
    texts.set('track_id', String(track_id))
    texts.set('keyframe', valueText(keyframe === true))
  }
  return [...texts].map(
    ([name, text]) => `      <attribute>
        <name>${escapeText(name)}</name>
        <value>${escapeText(text)}</value>
      </attribute>
`,
  )
}

const valueText = (value: string | number | boolean): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value)
