/**
 * What `change` makes of each, in their order. So many are worked at side by side; no more are made than are taken, so that
 * memory does not grow with them.
 */
export async function* inOrder<A, B>(
  items: AsyncIterable<A>,
  sideBySide: number,
  change: (item: A, index: number) => Promise<B>,
): AsyncGenerator<B> {
  const running: Promise<B>[] = []
  let index = 0
  for await (const item of items) {
    const made = change(item, index++)
    made.catch(() => undefined) // thrown when its turn comes, if it comes
    running.push(made)
    if (running.length < sideBySide) continue
    const [first] = running.splice(0, 1)
    if (first) yield await first
  }
  for (const made of running) yield await made
}
