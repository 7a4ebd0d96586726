import { join } from 'node:path'
import { launch, untilReady } from './server.mjs'

const portTaken = /address already in use|EADDRINUSE|could not bind/i

/**
 * One server that can be stopped, killed, paused and started again on the same ports and data. A part is made from
 * `{name, folder, choosePorts, command, isReady, env}`: `choosePorts()` runs before the first start, `command()` tells what
 * to launch, `isReady()` whether it can be used, and `env()` by which settings.
 */
export function makePart({ name, folder, choosePorts, command, isReady, env }) {
  const log = join(folder, `${name}.log`)
  let server

  const startOnce = async () => {
    server = await launch({ ...(await command()), log })
    await untilReady(name, server, { isReady, log })
  }
  const firstStart = async () => {
    await choosePorts()
    try {
      await startOnce()
    } catch (error) {
      if (!portTaken.test(error.message)) throw error
      await choosePorts() // another program was faster
      await startOnce()
    }
  }
  const start = async () => {
    if (server?.isRunning()) return
    await (server ? startOnce() : firstStart())
  }
  const stop = async () => {
    await server?.stop()
  }
  return {
    name,
    log,
    env,
    start,
    stop,
    /** Like a crash: SIGKILL. */
    kill: async () => {
      await server?.kill()
    },
    /** Frozen: connections stay open, nobody answers. */
    pause: async () => server?.signal('SIGSTOP'),
    resume: async () => server?.signal('SIGCONT'),
    restart: async () => {
      await stop()
      await start()
    },
    pid: () => server?.pid,
  }
}
