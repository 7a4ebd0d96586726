import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * A statement must end with the call that it belongs to, but kysely, through which handlers run queries, takes no
 * signal. The signal therefore travels in async context from the guard to the connection; nothing else does.
 */
const signals = new AsyncLocalStorage<AbortSignal | undefined>()

/** Runs `work`, whose statements all end when `signal` fires. */
export function endingWith<R>(signal: AbortSignal, work: () => R): R {
  return signals.run(signal, work)
}

/** Runs `work` that several calls wait for: it continues when the call that started it ends. */
export function beyondCall<R>(work: () => R): R {
  return signals.run(undefined, work)
}

/** Returns the signal of the current call, or undefined outside of a call. */
export function signalOfCall(): AbortSignal | undefined {
  return signals.getStore()
}

/** Signals of the calls that committed a transaction. */
const committed = new WeakSet<AbortSignal>()

/** Records that the current call committed. If its caller has left, the caller does not know of the change. */
export function noteCommit(): void {
  const signal = signals.getStore()
  if (signal) committed.add(signal)
}

export const hasCommitted = (signal: AbortSignal): boolean => committed.has(signal)
