/** Pairs of sublabels that a line joins. */
export type Edges = readonly (readonly [number, number])[]

/**
 * The edges of a skeleton as the drawing of its label tells them: lines between nodes, nodes with the ids of sublabels. The
 * drawing is a user's text: it is read here, and never shown.
 */
export function edgesOf(svg = ''): Edges {
  const tags = svg.match(/<[a-z][^<>]*>/gi) ?? []
  const labels = new Map(
    tags.flatMap((tag) => {
      const [node, label] = [numberIn(tag, numbers.node), numberIn(tag, numbers.label)]
      return node === undefined || label === undefined ? [] : [[node, label] as const]
    }),
  )
  return tags.flatMap((tag) => {
    const from = labels.get(numberIn(tag, numbers.from) ?? Number.NaN)
    const to = labels.get(numberIn(tag, numbers.to) ?? Number.NaN)
    return from === undefined || to === undefined ? [] : [[from, to] as const]
  })
}

/** Attributes of tags that hold a number. */
const numbers = {
  node: /\sdata-node-id\s{0,20}=\s{0,20}["']?(\d{1,15})/,
  label: /\sdata-label-id\s{0,20}=\s{0,20}["']?(\d{1,15})/,
  from: /\sdata-node-from\s{0,20}=\s{0,20}["']?(\d{1,15})/,
  to: /\sdata-node-to\s{0,20}=\s{0,20}["']?(\d{1,15})/,
}

function numberIn(tag: string, attribute: RegExp): number | undefined {
  const text = attribute.exec(tag)?.[1]
  return text === undefined ? undefined : Number(text)
}
