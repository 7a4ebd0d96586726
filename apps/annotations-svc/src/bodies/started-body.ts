/** Number of objects to wait for, the same as a response may keep in memory (`writing/response-rows.ts`). */
const enough = 2000

export interface StartedBody<T> {
  /** All batches, from the beginning. */
  source: AsyncIterable<T>
  /** Whether the source has already ended. */
  isWhole: boolean
}

/**
 * Waits for the first objects of a body, or for all of them when there are few, so that no connection or lock is held
 * while their bytes still arrive.
 *
 * @param sizeOf returns the number of objects in a batch
 */
export async function awaitFirstBatches<T>(
  source: AsyncIterable<T>,
  sizeOf: (batch: T) => number,
): Promise<StartedBody<T>> {
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
