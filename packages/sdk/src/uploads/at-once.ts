/** Does something for each, so many at once; after a failure nothing new is begun, and what is under way is waited for. */
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
