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
      const [node, label] = [numberIn(tag, 'data-node-id'), numberIn(tag, 'data-label-id')]
      return node === undefined || label === undefined ? [] : [[node, label] as const]
    }),
  )
  return tags.flatMap((tag) => {
    const from = labels.get(numberIn(tag, 'data-node-from') ?? Number.NaN)
    const to = labels.get(numberIn(tag, 'data-node-to') ?? Number.NaN)
    return from === undefined || to === undefined ? [] : [[from, to] as const]
  })
}

function numberIn(tag: string, name: string): number | undefined {
  const text = new RegExp(`\\s${name}\\s*=\\s*["']?(\\d+)`).exec(tag)?.[1]
  return text === undefined ? undefined : Number(text)
}
