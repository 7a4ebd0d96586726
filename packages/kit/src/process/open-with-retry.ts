import { setTimeout as sleep } from 'node:timers/promises'
import type { SettingsParts } from './parts.ts'
import type { App } from './program.ts'

const restMs = 2000

/**
 * Repeats `open` until it succeeds, because other parts of a cluster may start later. Rejects when the process stops.
 */
export async function openWithRetry<T>(
  { log, signal }: Pick<App<SettingsParts>, 'log' | 'signal'>,
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
