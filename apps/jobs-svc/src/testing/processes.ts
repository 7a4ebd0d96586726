import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ToProcess } from './worker-process.ts'

export interface WorkerProcess {
  pid: number
  /** SIGKILL; resolves when the process is gone. */
  kill: () => Promise<void>
  freeze: () => void
  thaw: () => void
  /** SIGTERM; resolves to the exit code. */
  stop: () => Promise<number | null>
}

const execArgv = ['--conditions=@reticle/source', '--import', 'tsx']

/** Starts a worker of one slot in a process of its own; it looks for requests when this resolves. */
export async function startProcess(given: ToProcess): Promise<WorkerProcess> {
  const child = fork(fileURLToPath(new URL('./worker-process.ts', import.meta.url)), { execArgv })
  const gone = once(child, 'exit')
  child.send(given)
  const failed = gone.then(() => {
    throw new Error('the worker did not start')
  })
  await Promise.race([once(child, 'message'), failed])
  failed.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await gone
      return code
    },
  }
}
