import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Handlers hand their queries to kysely, which takes no signal, and a statement must end with the call it is made for
 * (`reliability.md` 14). So the signal travels beside the calls of functions, from the guard to the connection; nothing
 * else does.
 */
const signals = new AsyncLocalStorage<AbortSignal | undefined>()

/** Runs `work`: every statement it makes ends when `signal` fires. */
export function endingWith<R>(signal: AbortSignal, work: () => R): R {
  return signals.run(signal, work)
}

/** Runs `work` that others wait for as well: it goes on when the call that happened to begin it ends. */
export function beyondCall<R>(work: () => R): R {
  return signals.run(undefined, work)
}

/** When the call ends that the present work is part of; nothing for work of the process itself. */
export function signalOfCall(): AbortSignal | undefined {
  return signals.getStore()
}

/** Signals of the calls that committed a transaction. */
const committed = new WeakSet<AbortSignal>()

/** Notes that the present call committed: a caller that is gone then has a change that it does not know of. */
export function noteCommit(): void {
  const signal = signals.getStore()
  if (signal) committed.add(signal)
}

export const hasCommitted = (signal: AbortSignal): boolean => committed.has(signal)
