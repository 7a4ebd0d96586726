import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Logger } from '@reticle/kit/log'
import type { ToWorker } from './worker.ts'

const entry = fileURLToPath(new URL('./worker.js', import.meta.url))
const restMs = 1000

export interface Conversion {
  stop: () => Promise<void>
}

/** Keeps one conversion process beside this one, off its event loop; one that dies is replaced. */
export async function startConversion(message: ToWorker, log: Logger): Promise<Conversion> {
  let isStopped = false
  let worker = await forked(message)

  const replaceWhenGone = () => {
    worker.once('exit', async (code, signal) => {
      if (isStopped) return
      log.error({ code, signal }, 'the conversion process ended; another one is started')
      await new Promise((resolve) => setTimeout(resolve, restMs))
      if (isStopped) return
      worker = await forked(message)
      replaceWhenGone()
    })
  }
  replaceWhenGone()

  return {
    stop: async () => {
      isStopped = true
      if (worker.exitCode !== null || worker.signalCode !== null) return
      const gone = once(worker, 'exit')
      worker.send('stop')
      await gone
    },
  }
}

async function forked(message: ToWorker): Promise<ChildProcess> {
  const worker = fork(entry, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ready = once(worker, 'message')
  const gone = once(worker, 'exit')
  worker.send(message)
  const first = await Promise.race([ready, gone.then(() => undefined)])
  if (!first) throw new Error('the conversion process did not start')
  return worker
}
