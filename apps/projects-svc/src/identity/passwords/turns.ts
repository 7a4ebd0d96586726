/**
 * Runs what belongs to one key one after another, and different keys side by side. Used so that many guesses at once
 * cannot slip past the count of the failures before them, and equal sign-ins at once cost one hash.
 */
export function turns() {
  const last = new Map<string, Promise<unknown>>()
  return async <R>(key: string, run: () => Promise<R>): Promise<R> => {
    const turn = (last.get(key) ?? Promise.resolve()).then(run)
    const settled = turn.then(
      () => undefined,
      () => undefined,
    )
    last.set(key, settled)
    try {
      return await turn
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
