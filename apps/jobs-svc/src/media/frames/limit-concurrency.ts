/** Limits the number of tasks that run at the same time; the others wait in order. */
export function limitConcurrency(count: number): <R>(run: () => Promise<R>) => Promise<R> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running < count) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
