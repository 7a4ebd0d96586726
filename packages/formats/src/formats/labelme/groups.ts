/** Groups of LabelMe objects that are parts of one another. */
import type { LabelMeObject } from './record.ts'

/**
 * Returns a group name for each object in a group; objects are connected over any number of steps from part to whole.
 */
export function groupsOf(
  objects: readonly Pick<LabelMeObject, 'id' | 'related'>[],
): Map<(typeof objects)[number], string> {
  const above = new Map(objects.map(({ id }) => [id, id]))
  const rootOf = (id: string): string => {
    let at = id
    for (let next = above.get(at) ?? at; next !== at; next = above.get(at) ?? at) {
      // Path halving: keeps lookups in long chains fast.
      above.set(at, above.get(next) ?? next)
      at = next
    }
    return at
  }
  const pairs = objects.flatMap(({ id, related }) =>
    related.flatMap((other) => (other !== id && above.has(other) ? [[id, other] as const] : [])),
  )
  for (const [id, other] of pairs) above.set(rootOf(other), rootOf(id))
  // Members are found by their relations, not by equal ids: tools without parts may give all objects the same id.
  const grouped = new Set(pairs.flat())
  const members = objects.filter(({ id }) => grouped.has(id))
  return new Map(members.map((object) => [object, `group of ${rootOf(object.id)}`]))
}
