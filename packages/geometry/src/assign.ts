/** Pairs of the most similar objects. */

/** Similarity of a left and a right object: above 0, at most 1. Pairs without any similarity have no edge. */
export interface Edge {
  left: number
  right: number
  similarity: number
}

/**
 * Pairs left and right objects, each with at most one other, so that the sum of similarities is maximal. Among equal
 * sums the earlier left object gets the earlier right one.
 *
 * Uses shortest augmenting paths (Jonker and Volgenant) over the given edges: the cost of an edge is 1 - similarity,
 * and that of an unpaired object is 1. Components without a connecting edge are solved independently.
 */
export function assignPairs(edges: readonly Edge[]): Edge[] {
  const state: State = {
    edgesOf: groupEdges(edges),
    leftPrice: new Map(),
    rightPrice: new Map(),
    leftOf: new Map(),
    edgeOf: new Map(),
  }
  for (const left of state.edgesOf.keys()) augment(state, left)
  return [...state.edgeOf.values()].sort((a, b) => a.left - b.left)
}

interface State {
  /** Edges of each left object, ordered by right object. */
  edgesOf: ReadonlyMap<number, Edge[]>
  /** Dual prices. The reduced cost of an edge (its cost less both prices) is never below 0. */
  leftPrice: Map<number, number>
  rightPrice: Map<number, number>
  leftOf: Map<number, number>
  /** Edge of each paired left object. */
  edgeOf: Map<number, Edge>
}

function groupEdges(edges: readonly Edge[]): Map<number, Edge[]> {
  const groups = new Map<number, Edge[]>()
  const sorted = [...edges].sort((a, b) => a.left - b.left || a.right - b.right)
  for (const edge of sorted) {
    if (edge.similarity <= 0) continue
    const group = groups.get(edge.left)
    if (group) group.push(edge)
    else groups.set(edge.left, [edge])
  }
  return groups
}

/** Step of a search path: to a right object, or (without an edge) to leaving the previous left object unpaired. */
interface Step {
  distance: number
  left: number
  edge: Edge | undefined
}

/** Adds one left object along the cheapest path, which may pair other objects differently. */
function augment(state: State, first: number): void {
  const open = new Map<number, Step>()
  const done = new Map<number, Step>()
  let alone: Step | undefined
  let end: Step
  for (let left = first, distance = 0; ; ) {
    alone = nearer(alone, aloneStep(state, left, distance))
    reach(state, left, distance, open, done)
    const next = nearest(open)
    if (!next || alone.distance < next.step.distance) {
      end = alone
      break
    }
    open.delete(next.right)
    const owner = state.leftOf.get(next.right)
    if (owner === undefined) {
      end = next.step
      break
    }
    done.set(next.right, next.step)
    left = owner
    distance = next.step.distance
  }
  reprice(state, first, done, end.distance)
  takePath(state, first, done, end)
}

function aloneStep({ leftPrice }: State, left: number, distance: number): Step {
  return { distance: distance + 1 - (leftPrice.get(left) ?? 0), left, edge: undefined }
}

const nearer = (a: Step | undefined, b: Step) => (a && a.distance <= b.distance ? a : b)

function reach(
  { edgesOf, leftPrice, rightPrice }: State,
  left: number,
  base: number,
  open: Map<number, Step>,
  done: ReadonlyMap<number, Step>,
): void {
  const price = leftPrice.get(left) ?? 0
  for (const edge of edgesOf.get(left) ?? []) {
    const { right } = edge
    if (done.has(right)) continue
    const distance = base + 1 - edge.similarity - price - (rightPrice.get(right) ?? 0)
    const known = open.get(right)
    if (!known || distance < known.distance) open.set(right, { distance, left, edge })
  }
}

function nearest(open: ReadonlyMap<number, Step>) {
  let best: { right: number; step: Step } | undefined
  for (const [right, step] of open) {
    const isBetter =
      !best ||
      step.distance < best.step.distance ||
      (step.distance === best.step.distance && right < best.right)
    if (isBetter) best = { right, step }
  }
  return best
}

function reprice(
  { leftPrice, rightPrice, leftOf }: State,
  first: number,
  done: ReadonlyMap<number, Step>,
  total: number,
): void {
  const raise = (left: number, by: number) => leftPrice.set(left, (leftPrice.get(left) ?? 0) + by)
  raise(first, total)
  for (const [right, { distance }] of done) {
    rightPrice.set(right, (rightPrice.get(right) ?? 0) - (total - distance))
    const left = leftOf.get(right)
    if (left !== undefined) raise(left, total - distance)
  }
}

/** Assigns the edges along the path, from its end back to the added object. */
function takePath(
  { leftOf, edgeOf }: State,
  first: number,
  done: ReadonlyMap<number, Step>,
  end: Step,
): void {
  let step = end
  for (;;) {
    const { left, edge } = step
    const before = edgeOf.get(left)
    if (edge) {
      edgeOf.set(left, edge)
      leftOf.set(edge.right, left)
    } else {
      edgeOf.delete(left)
    }
    if (left === first || !before) return
    const previous = done.get(before.right)
    if (!previous) return
    step = previous
  }
}
