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
  for (const { id, related } of objects)
    for (const other of related) if (above.has(other)) above.set(rootOf(other), rootOf(id))
  const sizes = new Map<string, number>()
  for (const { id } of objects) sizes.set(rootOf(id), (sizes.get(rootOf(id)) ?? 0) + 1)
  const grouped = objects.filter(({ id }) => (sizes.get(rootOf(id)) ?? 0) > 1)
  return new Map(grouped.map((object) => [object, `group of ${rootOf(object.id)}`]))
}
