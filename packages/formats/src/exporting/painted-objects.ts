/**
 * Groups for formats that have objects instead: the members of a group on a frame become one object
 * (docs/spec/formats.md#painting-order).
 */
import type { ItemShape } from '../model/dataset.ts'

/** Returns the objects of a frame in painting order; each is a group of shapes or a single shape. */
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
