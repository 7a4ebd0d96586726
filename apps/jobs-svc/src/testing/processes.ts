import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ToProcess } from './worker-process.ts'

export interface WorkerProcess {
  pid: number
  isAlive: () => boolean
  /** Sends SIGKILL; resolves when the process has exited. */
  kill: () => Promise<void>
  /** Stops the process and its converters, as when the machine is suspended. */
  freeze: () => void
  thaw: () => void
  /** Sends SIGTERM; resolves to the exit code. */
  stop: () => Promise<number | null>
}

/** Built program, whose processes and their converters start several times faster than from source. */
const built = '../../dist/testing/worker-process.js'

/** Starts a worker process, by default with one slot; resolves when it polls for requests. */
export async function startProcess(processOptions: ToProcess): Promise<WorkerProcess> {
  const child = fork(fileURLToPath(new URL(built, import.meta.url)), {
    execArgv: [],
    detached: true, // its converters belong to its process group
    silent: true, // tests expect that converters fail
  })
  let errors = ''
  child.stderr?.on('data', (piece) => (errors += piece))
  child.stdout?.resume()
  const exited = once(child, 'exit')
  child.send(processOptions)
  const failed = exited.then(() => {
    throw new Error(`the worker did not start: ${errors}`)
  })
  await Promise.race([once(child, 'message'), failed])
  failed.catch(() => undefined)
  const signalGroup = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  }
  return {
    pid: child.pid ?? 0,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    freeze: () => signalGroup('SIGSTOP'),
    thaw: () => signalGroup('SIGCONT'),
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}
