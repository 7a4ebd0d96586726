import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { execArgv } from '@reticle/kit/testing/answers-process'

/** What the process is told first. */
export interface ToDispatcher {
  /** Of a migrated database. */
  database: string
  /** Roots of trust, in PEM. */
  ca: string
}

/** Bytes of memory that the process had when it was asked, and the most since it was asked before. */
export interface Memory {
  rss: number
  peak: number
}

export interface DispatcherProcess {
  memory: () => Promise<Memory>
  stop: () => Promise<void>
}

/**
 * A dispatcher in a process of its own, with the limits of the product, whose way out leads to this machine only: what it
 * takes is told apart from what tests and receivers take.
 */
export async function startDispatcherProcess(given: ToDispatcher): Promise<DispatcherProcess> {
  const entry = fileURLToPath(new URL('./dispatcher-child.ts', import.meta.url))
  const child = fork(entry, { execArgv })
  const gone = once(child, 'exit')
  const failed = gone.then(() => Promise.reject(new Error('the dispatcher has ended')))
  failed.catch(() => undefined)
  const asked = async (message: ToDispatcher | 'memory') => {
    child.send(message)
    const [answer]: Memory[] = await Promise.race([once(child, 'message'), failed])
    if (!answer) throw new Error('the dispatcher did not answer')
    return answer
  }
  await asked(given)
  return {
    memory: () => asked('memory'),
    stop: async () => {
      child.kill()
      await gone
    },
  }
}
