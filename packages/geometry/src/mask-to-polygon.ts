/**
 * Masks as polygons along the borders of their pixels: border following after Suzuki and Abe (1985), over the ends of
 * runs instead of pixels (`docs/spec/formats.md#mask-to-polygons`).
 */

/**
 * Value changes along rows: vertical pieces of the border, one pixel high, in reading order. The border is followed
 * with the set pixels on its right: an even piece is the left side of a run and leads up, the odd piece after it is
 * the right side of that run and leads down.
 */
interface Edges {
  x: Int32Array
  y: Int32Array
  /** First edge of each row of the box; the last entry is the total number. */
  rows: Int32Array
}

/**
 * Returns the rings of a crop mask, one for each group of pixels that touch by side or corner, in reading order of
 * their first pixels.
 *
 * Vertices (x, y after one another) are at pixel corners, only where the border turns. Pixel (i, j) is the square
 * from (i, j) to (i + 1, j + 1), so rasterising the rings gives exactly the mask. Holes are connected to their ring
 * by a bridge of width 0, and islands in holes are separate rings. The cost depends on the number of runs and rows,
 * not of pixels.
 */
export function maskToPolygons(points: readonly number[]): number[][] {
  const edges = edgesOf(points)
  const next = linkEdges(edges)
  return joinHoles(next).map((first) => cornersOf(first, next, edges))
}

/** Collects the edges of a crop. A run over the end of a row is split by row, and runs without a gap are merged. */
function edgesOf(points: readonly number[]): Edges {
  const [left = 0, top = 0, right = 0, bottom = 0] = points.slice(-4)
  const [width, height] = [right - left + 1, bottom - top + 1]
  const most = points.length + 2 * height
  const [x, y, rows] = [new Int32Array(most), new Int32Array(most), new Int32Array(height + 1)]
  let count = 0
  const add = (column: number, row: number): void => {
    const isGap = count === 0 || x[count - 1] !== left + column || y[count - 1] !== top + row
    if (isGap) {
      x[count] = left + column
      y[count] = top + row
    }
    count += isGap ? 1 : -1
    rows[row + 1] = count
  }
  let at = 0
  for (let index = 0; index < points.length - 4; index += 1) {
    const end = at + (points[index] ?? 0)
    while (index % 2 === 1 && at < end) {
      const row = Math.floor(at / width)
      const stop = Math.min(end, (row + 1) * width)
      add(at - row * width, row)
      add(stop - row * width, row)
      at = stop
    }
    at = end
  }
  for (let row = 1; row <= height; row += 1)
    rows[row] = Math.max(rows[row] ?? 0, rows[row - 1] ?? 0)
  return { x, y, rows }
}

/** Returns, for each edge, the next one along its border. */
function linkEdges({ x, rows }: Edges): Int32Array {
  const next = new Int32Array(rows.at(-1) ?? 0)
  for (let line = 0; line <= rows.length - 1; line += 1) {
    const above = rows[line - 1] ?? 0
    const below = rows[line] ?? 0
    linkAcross(x, { above, below, end: rows[line + 1] ?? below }, next)
  }
  return next
}

/**
 * Links the edges that meet on the line between two rows: those of the row above have the indices `above` to `below`,
 * those of the row below from there to `end`.
 */
function linkAcross(
  x: Int32Array,
  { above, below, end }: { above: number; below: number; end: number },
  next: Int32Array,
): void {
  const line = followLine(next, below)
  const columnOf = (edge: number, stop: number) => (edge < stop ? (x[edge] ?? 0) : Infinity)
  let [a, b] = [above, below]
  while (a < below || b < end) {
    const ahead = columnOf(a, below) - columnOf(b, end)
    if (ahead < 0) line.one(a++)
    else if (ahead > 0) line.one(b++)
    else line.both(a++, b++)
  }
}

/**
 * Links the edges at a line, which are passed from left to right. The border follows the line between two edges where
 * exactly one of the pixels above and below is set.
 *
 * @param below first edge of the row below the line; earlier edges end at the line from above
 */
function followLine(next: Int32Array, below: number) {
  let open = -1
  const join = (left: number, right: number): void => {
    const leadsHere = left < below === (left % 2 === 1)
    if (leadsHere) next[left] = right
    else next[right] = left
  }
  const one = (edge: number): void => {
    if (open >= 0) join(open, edge)
    open = open < 0 ? edge : -1
  }
  const both = (a: number, b: number): void => {
    if (a % 2 === b % 2) join(a, b)
    else {
      // Two pixels share only this corner. The border passes between them, so that they belong to one group.
      const [near, far] = a % 2 === 0 ? [a, b] : [b, a]
      join(open, near)
      open = far
    }
  }
  return { one, both }
}

/**
 * Returns the first edges of the rings, with the holes connected. The first edge of a hole is the right side of a run
 * whose left side belongs to the same group and was visited before; the bridge connects the two.
 */
function joinHoles(next: Int32Array): number[] {
  const seen = new Uint8Array(next.length)
  const rings: number[] = []
  for (let first = 0; first < next.length; first += 1) {
    if (seen[first] === 1) continue
    let last = first
    for (let edge = first; seen[edge] === 0; edge = next[edge] ?? 0) {
      seen[edge] = 1
      last = edge
    }
    if (first % 2 === 0) rings.push(first)
    else {
      next[last] = next[first - 1] ?? 0
      next[first - 1] = first
    }
  }
  return rings
}

function cornersOf(first: number, next: Int32Array, { x, y }: Edges): number[] {
  const ring: number[] = []
  let edge = first
  do {
    const to = next[edge] ?? 0
    const [from, until] = [x[edge] ?? 0, x[to] ?? 0]
    const line = (y[edge] ?? 0) + (edge % 2)
    if (from !== until) ring.push(from, line, until, line)
    edge = to
  } while (edge !== first)
  return ring
}
