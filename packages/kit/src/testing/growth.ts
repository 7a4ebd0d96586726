const attempts = 5

/**
 * Measures how many times longer `run` takes for ten times the size: about 10 if its cost
 * is linear, about 100 if it is quadratic. A ratio above `most` is measured again, because
 * another process may have used the machine; the smallest counts.
 */
export function growthOf(run: (size: number) => unknown, size: number, most: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && least > most; attempt += 1) {
    const small = msOf(() => run(size))
    least = Math.min(least, msOf(() => run(10 * size)) / Math.max(small, shortestMs))
  }
  return least
}

/** Shortest duration in milliseconds that counts; below it, the clock and the compiler distort the result. */
const shortestMs = 0.5

function msOf(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}
