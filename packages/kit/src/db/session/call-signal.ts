import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Handlers hand their queries to kysely, which takes no signal, and a statement must end with the call it is made for
 * (`reliability.md` 14). So the signal travels beside the calls of functions, from the guard to the connection; nothing
 * else does.
 */
const signals = new AsyncLocalStorage<AbortSignal | undefined>()

/** Runs `work`: every statement it makes ends when `signal` fires. */
export function endingWith<R>(signal: AbortSignal | undefined, work: () => R): R {
  return signals.run(signal, work)
}

/** When the call ends that the present work is part of; nothing for work of the process itself. */
export function signalOfCall(): AbortSignal | undefined {
  return signals.getStore()
}
