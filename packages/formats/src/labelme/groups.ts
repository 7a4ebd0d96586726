/** Objects that are parts of one another (spec/formats.md 12.2). */
import type { LabelMeObject } from './record.ts'

/** A name of the group of each object that is in one, over any number of steps from part to whole. */
export function groupsOf(
  objects: readonly Pick<LabelMeObject, 'id' | 'related'>[],
): Map<(typeof objects)[number], string> {
  const above = new Map(objects.map(({ id }) => [id, id]))
  const rootOf = (id: string): string => {
    let at = id
    for (let next = above.get(at) ?? at; next !== at; next = above.get(at) ?? at) {
      // Ways are halved as they are gone, so that long chains take no longer than others.
      above.set(at, above.get(next) ?? next)
      at = next
    }
    return at
  }
  const pairs = objects.flatMap(({ id, related }) =>
    related.flatMap((other) => (other !== id && above.has(other) ? [[id, other] as const] : [])),
  )
  for (const [id, other] of pairs) above.set(rootOf(other), rootOf(id))
  // Counting objects would not do: tools that know no parts may give all of them one id.
  const grouped = new Set(pairs.flat())
  const members = objects.filter(({ id }) => grouped.has(id))
  return new Map(members.map((object) => [object, `group of ${rootOf(object.id)}`]))
}
