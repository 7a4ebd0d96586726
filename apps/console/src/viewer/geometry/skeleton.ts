/** Pairs of sublabel ids that are joined by a line. */
export type Edges = readonly (readonly [number, number])[]

/**
 * Returns the edges of a skeleton from the SVG of its label: lines between nodes that name sublabels. The SVG is user
 * input, so it is only parsed and never shown.
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

/** Numeric attributes of SVG elements. */
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
