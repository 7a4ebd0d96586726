import type { AttributeWrite, Label, LabelWrite, Sublabel } from '@reticle/contracts/rest/labels'
import type { FileAttribute, FileLabel } from '@reticle/formats/model/file-labels'
import { FormatError } from '@reticle/formats/report/errors'

/**
 * Returns the PATCH of the project's labels that adds the labels of the file: a project without labels gets them, any
 * other gets attributes only.
 *
 * @throws FormatError naming a label that is missing from the project
 */
export function labelItems(given: readonly FileLabel[], current: readonly Label[]): LabelWrite[] {
  if (current.length === 0) return given.map(newLabel)
  const renamed = given.map((label) => ({ ...label, name: nameIn(current, label) }))
  const unknown = unknownNames(renamed, current)
  // The only label of a project can be used for classes that the file does not name; the importer decides.
  const isOnlyLabel = current.length === 1 && unknown.every(({ origin }) => origin !== undefined)
  if (unknown.length > 0 && !isOnlyLabel) throw missingLabels(unknown)
  return changesOf(renamed, current, ({ sublabels = [] }, label): Partial<LabelWrite> => {
    const parts = changesOf(sublabels, label.sublabels, () => ({}))
    return parts.length === 0 ? {} : { sublabels: parts }
  })
}

/** Returns the project's name for a label of the file. */
function nameIn(current: readonly Label[], { name, isWrittenFor }: FileLabel): string {
  if (!isWrittenFor || current.some((label) => label.name === name)) return name
  return current.find((label) => isWrittenFor(label.name))?.name ?? name
}

type NamedLabel = Pick<FileLabel, 'name' | 'origin'>

function missingLabels(unknown: readonly NamedLabel[]): FormatError {
  const names = unknown.slice(0, 10).map(({ name }) => `"${name}"`)
  const reason = `Target project does not have label with name ${names.join(', ')}`
  const origins = new Set(unknown.flatMap(({ origin }) => origin ?? []))
  return new FormatError([reason, ...origins].join('; '))
}

/**
 * Returns labels of the file that are missing from the project; a missing element is named after its skeleton.
 * `background` is ignored, and so is the name of a skeleton's element: the importer refuses annotations with it.
 */
function unknownNames(fileLabels: readonly FileLabel[], current: readonly Label[]): NamedLabel[] {
  const known = new Map(current.map((label) => [label.name, label]))
  const points = new Set(current.flatMap(({ sublabels }) => sublabels.map(({ name }) => name)))
  return fileLabels.flatMap((one): NamedLabel[] => {
    const { name, sublabels = [] } = one
    const label = known.get(name)
    if (!label) return name === 'background' || points.has(name) ? [] : [one]
    const parts = new Set(label.sublabels.map((part) => part.name))
    const missing = sublabels.filter((part) => !parts.has(part.name) && !known.has(part.name))
    return missing.map((part) => ({ name: `${name}/${part.name}` }))
  })
}

type Known = Label | Sublabel

/** Returns changes for attributes that labels lack, and for the result of `more`. */
function changesOf<K extends Known>(
  wanted: readonly FileLabel[],
  current: readonly K[],
  more: (wanted: FileLabel, label: K) => Partial<LabelWrite>,
): LabelWrite[] {
  const known = new Map(current.map((label) => [label.name, label]))
  return wanted.flatMap((one): LabelWrite[] => {
    const label = known.get(one.name)
    if (!label) return []
    const has = new Set(label.attributes.map((attribute) => attribute.name))
    const added = one.attributes.filter((attribute) => !has.has(attribute.name))
    const changes = {
      ...(added.length > 0 && { attributes: added.map(toWrite) }),
      ...more(one, label),
    }
    return Object.keys(changes).length === 0 ? [] : [{ id: label.id, ...changes }]
  })
}

function newLabel({ name, type, color, svg, attributes, sublabels }: FileLabel): LabelWrite {
  return {
    name,
    ...(type !== undefined && { type }),
    ...(color !== undefined && { color }),
    ...(svg !== undefined && { svg }),
    attributes: attributes.map(toWrite),
    ...(sublabels !== undefined && { sublabels: sublabels.map(newLabel) }),
  }
}

const toWrite = (attribute: FileAttribute): AttributeWrite => ({
  ...attribute,
  values: [...attribute.values],
})
