import type {
  AttributeSpec,
  AttributeValue,
  DatasetLabel,
  Imported,
} from '@reticle/formats/model/dataset'
import type { FileAttribute, FileLabel } from '@reticle/formats/model/file-labels'

/** Converts labels of a file to those that a server would create: with ids, and a default for each attribute. */
export function labelsOf(given: readonly FileLabel[]): DatasetLabel[] {
  let id = 0
  const next = () => {
    id += 1
    return id
  }
  const labelOf = ({
    name,
    type = 'any',
    color,
    svg,
    attributes,
    sublabels = [],
  }: FileLabel): DatasetLabel => ({
    id: next(),
    name,
    type,
    ...(color !== undefined && { color }),
    ...(svg !== undefined && { svg }),
    attributes: attributes.map((attribute) => ({ id: next(), ...specOf(attribute) })),
    sublabels: sublabels.map(labelOf),
  })
  return given.map(labelOf)
}

function specOf(attribute: FileAttribute): Omit<AttributeSpec, 'id'> {
  const { input_type, values, default_value = '' } = attribute
  return { ...attribute, default_value: default_value || (firstValue[input_type]?.(values) ?? '') }
}

const first = (values: readonly string[]) => values[0] ?? ''

/** Default of an attribute without one in the file, by input type. */
const firstValue: Readonly<Record<string, (values: readonly string[]) => string>> = {
  checkbox: () => 'false',
  number: first,
  radio: first,
  select: first,
}

/** Returns a function that adds default values for attributes that an object does not name. */
export function defaultValues(labels: readonly DatasetLabel[]): (object: Imported) => Imported {
  const defaults = new Map<number, readonly AttributeValue[]>()
  const note = ({ id, attributes, sublabels }: DatasetLabel) => {
    defaults.set(
      id,
      attributes.map((spec) => ({ spec_id: spec.id, value: spec.default_value })),
    )
    sublabels.forEach(note)
  }
  labels.forEach(note)
  const complete = <T extends Annotated>(one: T): T => {
    const known = defaults.get(one.label_id) ?? []
    const isNamed = (spec_id: number) => one.attributes.some((value) => value.spec_id === spec_id)
    const missing = known.filter(({ spec_id }) => !isNamed(spec_id))
    const elements = one.elements?.map(complete)
    if (missing.length === 0 && !elements?.length) return one
    return { ...one, attributes: [...one.attributes, ...missing], ...(elements && { elements }) }
  }
  return (object) => {
    if (object.kind === 'tag') return { ...object, tag: complete(object.tag) }
    if (object.kind === 'shape') return { ...object, shape: complete(object.shape) }
    return { ...object, track: complete(object.track) }
  }
}

interface Annotated {
  label_id: number
  attributes: readonly AttributeValue[]
  elements?: readonly Annotated[]
}
