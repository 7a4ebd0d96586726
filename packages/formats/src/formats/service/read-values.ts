/** Reads attributes of annotations: `<attribute name="color">red</attribute>`. */

import type { XmlAttributes } from '../../xml/scan.ts'
import type { ElementReader } from './element-reader.ts'
import { requireAttribute } from './elements.ts'
import {
  createFail,
  currentLocation,
  type ImportState,
  reportUnknownAttribute,
} from './import-state.ts'
import { addValue, type NamedLabel, type ValuesBySpec } from './named-label.ts'

export interface AttributeOwner {
  named: NamedLabel
  values: ValuesBySpec
  /** Name of the image or track, for messages. */
  record: string
}

/** Creates a reader that adds one attribute to the values of its owner. */
export function createAttributeReader(
  state: ImportState,
  { named, values, record }: AttributeOwner,
  attributes: XmlAttributes,
): ElementReader {
  const name = requireAttribute(attributes, 'name', createFail(state, record))
  let text = ''
  return {
    open(inner) {
      throw createFail(state, record)(`<${inner}> within an <attribute>`)
    },
    text(piece) {
      text += piece
    },
    close() {
      const { run } = state
      const location = () => currentLocation(state, record)
      const isKnown = addValue(values, named, { name, text }, { run, location })
      if (!isKnown) reportUnknownAttribute(state, name, named, record)
    },
  }
}
