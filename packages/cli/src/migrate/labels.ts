import type { Client, Label, LabelWrite } from '@reticle/sdk'

/** The labels of a task as they are given to a new one: without what belongs to the old one alone. */
export async function labelsOf(
  source: Client,
  of: { task_id: number },
  signal: AbortSignal,
): Promise<LabelWrite[]> {
  const labels: LabelWrite[] = []
  for await (const label of source.listLabels.each({ ...of, sort: 'id' }, { signal }))
    if (!label.has_parent) labels.push(labelOf(label))
  return labels
}

function labelOf({ name, color, type, attributes, sublabels, svg }: Label): LabelWrite {
  return {
    ...{ name, color, type, attributes: attributes.map(withoutId) },
    ...(type === 'skeleton' && {
      svg: namedParts(svg ?? '', sublabels),
      sublabels: sublabels.map((part) => ({
        ...{ name: part.name, color: part.color, type: part.type },
        attributes: part.attributes.map(withoutId),
      })),
    }),
  }
}

const withoutId = <Attribute extends { id: number }>({ id: _, ...attribute }: Attribute) =>
  attribute

/** Nodes of a drawing name their parts by ids, which are others elsewhere. */
function namedParts(svg: string, parts: readonly { id: number; name: string }[]): string {
  return svg.replace(/data-label-id="(\d+)"/g, (whole, id: string) => {
    const part = parts.find((one) => one.id === Number(id))
    return part ? `data-label-name="${part.name.replaceAll('"', '&quot;')}"` : whole
  })
}
