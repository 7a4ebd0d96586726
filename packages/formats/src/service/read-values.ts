/** Reads attributes of annotations: `<attribute name="color">red</attribute>`. */

import type { XmlAttributes } from '../xml/scan.ts'
import type { Context } from './context.ts'
import { required } from './elements.ts'
import { addValue, type NamedLabel, type Values } from './named-label.ts'
import { failing, noteUnknown, placeOf, type Reading } from './reading.ts'

export interface Owner {
  named: NamedLabel
  values: Values
  /** Name of the image or track, for messages. */
  record: string
}

/** Creates a reader that adds one attribute to the values of its owner. */
export function attributeContext(
  reading: Reading,
  { named, values, record }: Owner,
  attributes: XmlAttributes,
): Context {
  const name = required(attributes, 'name', failing(reading, record))
  let text = ''
  return {
    open(inner) {
      throw failing(reading, record)(`<${inner}> within an <attribute>`)
    },
    text(piece) {
      text += piece
    },
    close() {
      const { run } = reading
      const place = () => placeOf(reading, record)
      const isKnown = addValue(values, named, { name, text }, { run, place })
      if (!isKnown) noteUnknown(reading, name, named, record)
    },
  }
}
