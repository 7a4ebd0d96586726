import { setTimeout as sleep } from 'node:timers/promises'
import type { Parts } from './parts.ts'
import type { App } from './program.ts'

const restMs = 2000

/** Tries until it succeeds: what a cluster starts beside this process may come later. Gives up when asked to stop. */
export async function eventually<T>(
  { log, signal }: Pick<App<Parts>, 'log' | 'signal'>,
  what: string,
  open: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await open()
    } catch (thrown) {
      const sentence = thrown instanceof Error ? thrown.message : String(thrown)
      log.warn(`waiting for ${what}: ${sentence}`)
      await sleep(restMs, undefined, { signal })
    }
  }
}
