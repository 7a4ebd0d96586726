/** As many as a response holds (`writing/held.ts`). */
const enough = 2000

export interface Begun<T> {
  /** All of it, from its beginning. */
  source: AsyncIterable<T>
  /** Whether nothing of it is on its way any more. */
  isWhole: boolean
}

/**
 * Waits for the first objects of a body, all of them when they are few, so that no connection and no lock is held for
 * bytes that are still on their way.
 *
 * @param sizeOf how many objects a batch has
 */
export async function begin<T>(
  source: AsyncIterable<T>,
  sizeOf: (batch: T) => number,
): Promise<Begun<T>> {
  const iterator = source[Symbol.asyncIterator]()
  const early: T[] = []
  let count = 0
  let isDone = false
  while (!isDone && count < enough) {
    const step = await iterator.next()
    if (step.done) {
      isDone = true
    } else {
      early.push(step.value)
      count += sizeOf(step.value)
    }
  }
  return { source: rest(early, isDone ? undefined : iterator), isWhole: isDone }
}

async function* rest<T>(early: T[], iterator: AsyncIterator<T> | undefined): AsyncGenerator<T> {
  yield* early
  if (iterator) yield* { [Symbol.asyncIterator]: () => iterator }
}
