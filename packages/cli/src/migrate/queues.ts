/** Groups equal items into queues that keep their order. */
export function queuesOf<Item>(
  items: readonly Item[],
  likenessOf: (item: Item) => string,
): Map<string, Item[]> {
  const queues = new Map<string, Item[]>()
  for (const item of items) {
    const likeness = likenessOf(item)
    const queue = queues.get(likeness)
    if (queue) queue.push(item)
    else queues.set(likeness, [item])
  }
  return queues
}
