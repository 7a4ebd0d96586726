/** Returns the milliseconds that `run` takes. */
export async function measureMs(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run()
  return performance.now() - began
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Returns the smallest value that `percent` of the values do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN
}

/**
 * Runs limit and subject in turn, so that a machine that slows down slows both. `prepare` before each pair and the
 * first round of each are not measured.
 */
export async function measureInterleaved(
  rounds: number,
  limit: () => Promise<unknown>,
  subject: () => Promise<unknown>,
  prepare: () => Promise<unknown> = async () => undefined,
): Promise<{ limit: number; subject: number; ratio: number }> {
  const pairs: { limit: number; subject: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    await prepare()
    pairs.push({ limit: await measureMs(limit), subject: await measureMs(subject) })
  }
  const counted = pairs.slice(1)
  return {
    limit: median(counted.map((pair) => pair.limit)),
    subject: median(counted.map((pair) => pair.subject)),
    ratio: median(counted.map((pair) => pair.subject / pair.limit)),
  }
}

/** Returns the highest memory of any process while `run` runs, and the largest growth of a process. */
export async function measureGrowth(
  read: () => number[],
  run: () => Promise<unknown>,
): Promise<{ growth: number; peak: number }> {
  const before = read()
  let peaks = before
  const watch = setInterval(() => {
    const now = read()
    peaks = peaks.map((peak, index) => Math.max(peak, now[index] ?? peak))
  }, 5)
  await run()
  clearInterval(watch)
  const grown = peaks.map((peak, index) => peak - (before[index] ?? peak))
  return { growth: Math.max(...grown), peak: Math.max(...peaks) }
}
