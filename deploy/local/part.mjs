import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { launchServer, untilReady } from './server.mjs'

const portTaken = /address already in use|EADDRINUSE|could not bind/i

/**
 * Creates a program that can be stopped, killed, paused and started again on the same ports and data. `choosePorts()`
 * runs before the first start, `command()` returns the command line, `isReady()` whether it can be used, and `env()`
 * the settings with its addresses. `stopMs` is the time limit of a graceful stop, and `onGone(code)` is called when it
 * ends unexpectedly.
 */
export function makePart({ name, logs, choosePorts, command, isReady, env, stopMs, onGone }) {
  const log = join(logs, `${name}.log`)
  let server
  let shouldRun = false
  let wasKilled = false

  const startOnce = async () => {
    const started = await launchServer({ ...(await command()), log })
    server = started
    await untilReady(name, started, { isReady, log })
    shouldRun = true
    started.exited.then((code) => {
      if (shouldRun && server === started) onGone?.(code)
    })
  }
  const firstStart = async () => {
    await rename(log, join(logs, `${name}.1.log`)).catch(() => undefined) // log of the previous run
    await choosePorts()
    try {
      await startOnce()
    } catch (error) {
      if (!portTaken.test(error.message)) throw error
      await choosePorts() // another program took the port
      await startOnce()
    }
  }
  const start = async () => {
    if (server?.isRunning()) return
    if (!server) await firstStart()
    else await (wasKilled ? startDespiteRemains(startOnce) : startOnce())
    wasKilled = false
  }
  const stop = async () => {
    shouldRun = false
    return server?.stop(stopMs)
  }
  return {
    name,
    log,
    env,
    start,
    /** Returns the exit code. */
    stop,
    /** Like a crash: SIGKILL. */
    kill: async () => {
      shouldRun = false
      wasKilled = true
      await server?.kill()
    },
    /** Frozen: connections stay open without responses. */
    pause: async () => server?.signal('SIGSTOP'),
    resume: async () => server?.signal('SIGCONT'),
    restart: async () => {
      await stop()
      await start()
    },
    isRunning: () => server?.isRunning() ?? false,
    pid: () => server?.pid,
  }
}

/**
 * Remains of a killed process can block the start until its last child has ended, so the start is retried, as a
 * supervisor would.
 */
async function startDespiteRemains(startOnce, tries = 150) {
  try {
    await startOnce()
  } catch (error) {
    if (tries === 0) throw error
    await sleep(200)
    await startDespiteRemains(startOnce, tries - 1)
  }
}
