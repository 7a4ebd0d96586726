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

/** Returns the first reference to an unknown sublabel: its name, or `#` and the id. */
export function unknownSublabel(text: string, sublabels: readonly Named[]): string | undefined {
  const { idOf, ids } = lookup(sublabels)
  for (const { attributes } of readDrawing(text)) {
    const name = attributes.get('data-label-name')
    if (name !== undefined && !idOf.has(name)) return name
    const id = attributes.get('data-label-id')
    if (name !== undefined || id === undefined) continue
    if (!ids.has(id)) return `#${id}`
  }
  return undefined
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
  return { idOf, ids: new Set(idOf.values()) }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const characters = new Map(
  Object.entries(entities).map(([character, entity]) => [entity, character]),
)

const escapeText = (text: string) => text.replace(/[&<>"]/g, (one) => entities[one] ?? one)
const unescapeText = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot);/g, (one) => characters.get(one) ?? one)
