import type { Attribute, Label, Sublabel } from '@reticle/contracts/rest/labels'

/** Converts labels to the form of archives: by names, without ids. */
export const toArchiveLabels = (labels: readonly Label[]) => labels.map(toArchiveLabel)

function toArchiveLabel({ sublabels, svg, ...label }: Label) {
  return {
    ...fieldsOf(label),
    sublabels: sublabels.map(fieldsOf),
    ...(svg !== undefined && { svg: named(svg, sublabels) }),
  }
}

type Fields = Pick<Sublabel, 'name' | 'color' | 'type' | 'attributes'>

function fieldsOf({ name, color, type, attributes }: Fields) {
  return { name, color, type, attributes: attributes.map(withoutId) }
}

const withoutId = ({ id: _, ...attribute }: Attribute) => attribute

/** Replaces the ids of sublabels in a drawing by names. */
function named(svg: string, sublabels: readonly Sublabel[]): string {
  const names = new Map(sublabels.map(({ id, name }) => [String(id), name]))
  return svg.replace(/data-label-id="(\d+)"/g, (whole, id: string) => {
    const name = names.get(id)
    return name === undefined ? whole : `data-label-name="${escaped(name)}"`
  })
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (one) => entities[one] ?? one)
