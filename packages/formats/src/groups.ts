/** Groups in formats that have objects instead (spec/formats.md 5): the members of a group on a frame become one. */
import type { ItemShape } from './model.ts'

/** The objects of a frame in the order in which they are painted: shapes that are one together, or alone. */
export function paintedObjects(shapes: readonly ItemShape[]): ItemShape[][] {
  const objects: ItemShape[][] = []
  const byGroup = new Map<number, ItemShape[]>()
  for (const shape of shapes.toSorted((a, b) => a.z_order - b.z_order)) {
    const members = byGroup.get(shape.group)
    if (members) {
      members.push(shape)
      continue
    }
    const object = [shape]
    objects.push(object)
    if (shape.group > 0) byGroup.set(shape.group, object)
  }
  return objects
}
