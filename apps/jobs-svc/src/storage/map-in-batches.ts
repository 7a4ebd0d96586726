/** Number of concurrent calls, which mostly wait. */
const sideBySide = 8

/** Calls `ask` for each item, some concurrently, and yields the results in order. */
export async function* mapInBatches<A, B>(
  all: readonly A[],
  run: (one: A) => Promise<B>,
  signal: AbortSignal,
): AsyncGenerator<[one: A, answer: B, index: number]> {
  for (let at = 0; at < all.length; at += sideBySide) {
    signal.throwIfAborted()
    const some = all.slice(at, at + sideBySide)
    const answers = await Promise.all(some.map(async (one) => [one, await run(one)] as const))
    for (const [index, [one, answer]] of answers.entries()) yield [one, answer, at + index]
  }
}
