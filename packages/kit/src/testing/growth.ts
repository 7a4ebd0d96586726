const attempts = 5

/**
 * How many times as long `run` takes for ten times the size: about 10 where its cost is linear, about 100 where it is
 * quadratic. A ratio above `most` is measured again, because another process may have used the machine; the least counts.
 */
export function growthOf(run: (size: number) => unknown, size: number, most: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && least > most; attempt += 1) {
    const small = msOf(() => run(size))
    least = Math.min(least, msOf(() => run(10 * size)) / Math.max(small, shortestMs))
  }
  return least
}

/** Shorter than that, the clock and the compiler weigh more than the work. */
const shortestMs = 0.5

function msOf(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}
