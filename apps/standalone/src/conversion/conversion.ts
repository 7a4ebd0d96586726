import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from '@reticle/kit/observe/log'
import type { ToWorker } from './worker.ts'

const entry = fileURLToPath(new URL('./worker.js', import.meta.url))
const restMs = 1000

export interface ConversionProcess {
  stop: () => Promise<void>
}

export interface ConversionPorts {
  log: Logger
  /** Ends the leases of a dead worker at once, because no other worker can hold any. */
  endLeases: () => Promise<void>
}

/** Forks a conversion process, which loads its modules while its parent starts, and then waits for its message. */
export function forkConversion(): ChildProcess {
  const worker = fork(entry, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  worker.on('error', () => undefined) // a message to a process that has just exited; its exit is handled
  lowerPriority(worker)
  return worker
}

/** Keeps one conversion process running beside this one. A process that exits, or has already exited, is replaced. */
export async function startConversion(
  first: ChildProcess,
  message: ToWorker,
  { log, endLeases }: ConversionPorts,
): Promise<ConversionProcess> {
  let isStopped = false
  await endLeases()
  let worker = await messageFrom(hasExited(first) ? forkConversion() : first, message)

  const replace = async () => {
    while (!isStopped) {
      await sleep(restMs)
      try {
        await endLeases()
        worker = await messageFrom(forkConversion(), message)
        return
      } catch (err) {
        log.error({ err }, 'conversion process failed to start; retrying')
      }
    }
  }
  const superviseProcess = async () => {
    while (!isStopped) {
      await exitOf(worker)
      if (isStopped) return
      log.error('conversion process exited; restarting')
      await replace()
    }
  }
  const supervision = superviseProcess()

  return {
    stop: async () => {
      isStopped = true
      if (!hasExited(worker)) worker.send('stop')
      await supervision
      if (!hasExited(worker)) {
        worker.send('stop')
        await exitOf(worker)
      }
    },
  }
}

const hasExited = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null

/** Resolves when the process has exited. `once` of node:events would reject when a message cannot be sent to it. */
const exitOf = (worker: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (hasExited(worker)) resolve()
    else worker.once('exit', () => resolve())
  })

/** Lowers the priority of a process and its converters, because calls share the same processors and take precedence. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // the process has ended, or the system does not allow it
  }
}

/** Sends the process its message; resolves when it is ready. */
async function messageFrom(worker: ChildProcess, message: ToWorker): Promise<ChildProcess> {
  const ready = new Promise<boolean>((resolve) => worker.once('message', () => resolve(true)))
  worker.send(message)
  const isReady = await Promise.race([ready, exitOf(worker).then(() => false)])
  if (!isReady) throw new Error('the conversion process did not start')
  return worker
}
