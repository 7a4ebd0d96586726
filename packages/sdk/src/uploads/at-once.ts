/**
 * Runs `work` for each item with a limit on concurrency. After a failure no new item is started, and running ones are
 * awaited.
 */
export async function forEach<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values()
  let failure: { thrown: unknown } | undefined
  const worker = async () => {
    for (const item of left) {
      await work(item).catch((thrown: unknown) => {
        failure ??= { thrown }
      })
      if (failure) return
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  if (failure) throw failure.thrown
}
