const longestName = 100

/** Removes case, spaces and a trailing version from a name. */
const stemOf = (name: string) =>
  name
    .slice(0, longestName)
    .toLowerCase()
    .replace(/ v?[\d.]{1,10}$/, '')
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Maximum distance of two stems when one contains the other. */
const containedDistance = 0.5
const farthest = 0.5
const shortestContained = 3

/**
 * Returns the name of the format that was probably meant, or undefined when none is similar.
 * @param known Names and aliases of each format; the first one is returned.
 */
export function nearestName(
  given: string,
  known: readonly (readonly [string, ...string[]])[],
): string | undefined {
  const stem = stemOf(given)
  const rated = known.flatMap(([name, ...aliases]) =>
    [name, ...aliases].map((one) => ({ name, distance: distanceOf(stem, stemOf(one)) })),
  )
  const [nearest] = rated.toSorted((a, b) => a.distance - b.distance)
  return nearest && nearest.distance <= farthest ? nearest.name : undefined
}

/** Returns the distance from 0 (equal) to 1 (nothing in common). */
function distanceOf(one: string, other: string): number {
  if (one === other) return 0
  const [short = '', long = ''] = [one, other].toSorted((a, b) => a.length - b.length)
  const edits = countEdits(short, long) / long.length
  if (short.length < shortestContained || !long.includes(short)) return edits
  const missing = (long.length - short.length) / long.length
  return Math.min(edits, containedDistance * missing)
}

/** Returns the Levenshtein distance. */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    for (let index = 0; index < other.length; index++) {
      const replaced = (row[index] ?? 0) + (one[at] === other[index] ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
