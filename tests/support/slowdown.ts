const attempts = 4

/**
 * Returns how many times as long as `harmless` the call `hostile` takes. A ratio above `most` is measured again,
 * because another process may have used the machine; the lowest ratio is returned.
 */
export const slowdownOf = (
  hostile: () => Promise<unknown>,
  harmless: () => Promise<unknown>,
  most: number,
): Promise<number> => compareWith(harmless, most)(hostile)

/** Returns `slowdownOf` for many hostile calls, which measures the harmless one only at first and for a repetition. */
export function compareWith(
  harmless: () => Promise<unknown>,
  most: number,
): (hostile: () => Promise<unknown>) => Promise<number> {
  let limit: number | undefined
  return async (hostile) => {
    let least = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < attempts && least > most; attempt += 1) {
      if (attempt > 0 || limit === undefined) limit = await msOf(harmless)
      least = Math.min(least, (await msOf(hostile)) / limit)
    }
    return least
  }
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
