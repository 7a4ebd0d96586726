/**
 * Yields the results of `change` in the order of the items. Processes up to `sideBySide` items concurrently, with
 * back-pressure, so that memory does not grow with their number.
 */
export async function* mapInOrder<A, B>(
  items: AsyncIterable<A>,
  sideBySide: number,
  change: (item: A, index: number) => Promise<B>,
): AsyncGenerator<B> {
  const running: Promise<B>[] = []
  let index = 0
  for await (const item of items) {
    const made = change(item, index++)
    made.catch(() => undefined) // thrown when it is read
    running.push(made)
    if (running.length < sideBySide) continue
    const [first] = running.splice(0, 1)
    if (first) yield await first
  }
  for (const made of running) yield await made
}
