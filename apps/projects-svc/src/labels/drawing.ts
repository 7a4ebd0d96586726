/**
 * Drawings of skeletons (`svg`). A drawing is parsed into plain elements and written again from them. Only the listed
 * shapes and attributes are kept, so a drawing cannot execute or load anything.
 */

export interface DrawnElement {
  name: string
  attributes: Map<string, string>
}

const shapes = new Set(['line', 'circle', 'ellipse', 'rect', 'polyline', 'polygon'])
const plainAttribute =
  /^(x|y|x1|y1|x2|y2|cx|cy|r|rx|ry|width|height|points|fill|stroke|stroke-width|opacity|class)$/
const dataAttribute = /^data-[a-z-]{1,40}$/
const plainValue = /^[\w\s#.,%+-]*$/

/** Tag with its attributes; `>` may occur within quotes. */
const opening = /<([a-zA-Z][\w:-]{0,40})((?:[^<>"']|"[^"]*"|'[^']*')*)>/g
const assignment = /\s([\w:-]{1,80})\s*=\s*(?:"([^"]*)"|'([^']*)')/g

export function readDrawing(text: string): DrawnElement[] {
  const elements: DrawnElement[] = []
  for (const [, name = '', inside = ''] of text.matchAll(opening)) {
    if (!shapes.has(name.toLowerCase())) continue
    elements.push({ name: name.toLowerCase(), attributes: readAttributes(inside) })
  }
  return elements
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single] of text.matchAll(assignment)) {
    const value = unescapeText(double ?? single ?? '')
    const isPlain = plainAttribute.test(name) && plainValue.test(value)
    if (isPlain || dataAttribute.test(name)) attributes.set(name, value)
  }
  return attributes
}

export function writeDrawing(elements: readonly DrawnElement[]): string {
  return elements.map(writeElement).join('')
}

function writeElement({ name, attributes }: DrawnElement): string {
  const inside = [...attributes].map(([key, value]) => ` ${key}="${escapeText(value)}"`).join('')
  return `<${name}${inside}></${name}>`
}

interface Named {
  id: number | null
  name: string
}

/** A drawing with known references only, or its first unknown reference: a name, or `#` and an id. */
export type MatchedDrawing = { svg: string } | { unknown: string }

/**
 * Checks the references of a drawing from a request. An id from another server is replaced with the name of a sublabel: that
 * in `data-label-name`, or else that of the sublabel at `data-element-id`.
 */
export function matchDrawing(text: string, sublabels: readonly Named[]): MatchedDrawing {
  const elements = readDrawing(text)
  const { idOf, ids } = lookup(sublabels)
  const nameOf = namesByElement(elements, sublabels)
  for (const { attributes } of elements) {
    const name = attributes.get('data-label-name')
    const id = attributes.get('data-label-id')
    const isKnown = name === undefined ? id === undefined || ids.has(id) : idOf.has(name)
    if (isKnown) continue
    const isForeign = id !== undefined && !ids.has(id)
    const found = isForeign ? nameOf.get(attributes.get('data-element-id') ?? '') : undefined
    if (found === undefined) return { unknown: name ?? `#${id}` }
    attributes.set('data-label-name', found)
  }
  return { svg: writeDrawing(elements) }
}

/**
 * Maps `data-element-id` to names of sublabels. CVAT numbers the elements in the order of the sublabels and uses these
 * numbers as names, unless a user renames the sublabels.
 */
function namesByElement(elements: readonly DrawnElement[], sublabels: readonly Named[]) {
  const names = new Set(sublabels.map(({ name }) => name))
  const numbers = elements.flatMap(({ attributes }) => attributes.get('data-element-id') ?? [])
  if (numbers.every((number) => names.has(number))) return new Map(numbers.map((one) => [one, one]))
  return new Map(sublabels.map(({ name }, index) => [String(index + 1), name]))
}

/** Returns the drawing with a name beside each id that one of `sublabels` has. */
export function nameElements(text: string, sublabels: readonly Partial<Named>[]): string {
  const nameOf = new Map(sublabels.map(({ id, name }) => [String(id), name]))
  const elements = readDrawing(text)
  for (const { attributes } of elements) {
    const name = nameOf.get(attributes.get('data-label-id') ?? '')
    if (name !== undefined && !attributes.has('data-label-name'))
      attributes.set('data-label-name', name)
  }
  return writeDrawing(elements)
}

/** Returns the drawing with names replaced by ids, and without elements of deleted sublabels. */
export function bindDrawing(text: string, sublabels: readonly Named[]): string {
  const { idOf, ids } = lookup(sublabels)
  const bound: DrawnElement[] = []
  for (const { name, attributes } of readDrawing(text)) {
    const known = idOf.get(attributes.get('data-label-name') ?? '')
    if (known !== undefined) attributes.set('data-label-id', known)
    attributes.delete('data-label-name')
    const id = attributes.get('data-label-id')
    if (id === undefined || ids.has(id)) bound.push({ name, attributes })
  }
  return writeDrawing(bound)
}

/** Drawings can contain any number of references, so each lookup uses a map. */
function lookup(sublabels: readonly Named[]) {
  const idOf = new Map(sublabels.map(({ id, name }) => [name, String(id)]))
  const ids = new Set(sublabels.flatMap(({ id }) => (id === null ? [] : String(id))))
  return { idOf, ids }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const characters = new Map(
  Object.entries(entities).map(([character, entity]) => [entity, character]),
)

const escapeText = (text: string) => text.replace(/[&<>"]/g, (one) => entities[one] ?? one)
const unescapeText = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot);/g, (one) => characters.get(one) ?? one)
