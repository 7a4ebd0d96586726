import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { execArgv } from '@reticle/kit/testing/answers-process'

/** First message to the process. */
export interface ToDispatcher {
  /** URL of a migrated database. */
  database: string
  /** Trusted root certificates, in PEM. */
  ca: string
}

/** Resident memory of the process in bytes: now, and the peak since the previous measurement. */
export interface Memory {
  rss: number
  peak: number
}

export interface DispatcherProcess {
  memory: () => Promise<Memory>
  stop: () => Promise<void>
}

/**
 * Starts a dispatcher in a separate process, with the limits of production and outgoing calls to this machine only,
 * so that its memory can be measured apart from the tests and receivers.
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
