import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LaunchedServer, launchServer, type ServerCommand, untilReady } from './server.ts'

const portTaken = /address already in use|EADDRINUSE|could not bind/i

/** Called with the exit code when a program ends unexpectedly. */
export type OnExit = (code: number) => void

/** What tests do to a server; each call resolves when it has stopped or can be used again. */
export interface ControlledPart {
  start: () => Promise<void>
  /** Stops gracefully. */
  stop: () => Promise<unknown>
  /** Like a crash: SIGKILL. */
  kill: () => Promise<void>
  /** Frozen: connections stay open without responses. */
  pause: () => Promise<void>
  resume: () => Promise<void>
  restart: () => Promise<void>
}

/** A program that can be started again; it keeps its ports and data through every restart. */
export interface ServerPart extends ControlledPart {
  name: string
  /** Path of its log. */
  log: string
  /** Returns the settings with its addresses. */
  env: () => Record<string, string>
  /** Returns the exit code, 0 if it never ran. */
  stop: () => Promise<number>
  isRunning: () => boolean
  pid: () => number
}

interface PartOptions {
  name: string
  /** Folder of its log. */
  logs: string
  /** Runs before the first start. */
  choosePorts?: () => Promise<void>
  command: () => ServerCommand
  /** Returns whether it can be used. */
  isReady: () => Promise<boolean>
  env?: ServerPart['env']
  /** Time limit of a graceful stop. */
  stopMs?: number
  onGone?: OnExit
}

/** Creates a program that can be stopped, killed, paused and started again on the same ports and data. */
export function makePart(options: PartOptions): ServerPart {
  const { name, logs, command, isReady, stopMs, onGone } = options
  const { choosePorts = async () => undefined, env = () => ({}) } = options
  const log = join(logs, `${name}.log`)
  let server: LaunchedServer | undefined
  let shouldRun = false
  let wasKilled = false

  const startOnce = async () => {
    const started = await launchServer({ ...command(), log })
    server = started
    await untilReady(name, started, { isReady, log })
    shouldRun = true
    void started.exited.then((code) => {
      if (shouldRun && server === started) onGone?.(code)
    })
  }
  const firstStart = async () => {
    await rename(log, join(logs, `${name}.1.log`)).catch(() => undefined) // log of the previous run
    await choosePorts()
    try {
      await startOnce()
    } catch (error) {
      if (!(error instanceof Error && portTaken.test(error.message))) throw error
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
    return (await server?.stop(stopMs)) ?? 0
  }
  return {
    name,
    log,
    env,
    start,
    stop,
    kill: async () => {
      shouldRun = false
      wasKilled = true
      await server?.kill()
    },
    pause: async () => server?.signal('SIGSTOP'),
    resume: async () => server?.signal('SIGCONT'),
    restart: async () => {
      await stop()
      await start()
    },
    isRunning: () => server?.isRunning() ?? false,
    pid: () => server?.pid ?? 0,
  }
}

/**
 * Remains of a killed process can block the start until its last child has ended, so the start is retried, as a
 * supervisor would.
 */
async function startDespiteRemains(startOnce: () => Promise<void>, tries = 150): Promise<void> {
  try {
    await startOnce()
  } catch (error) {
    if (tries === 0) throw error
    await sleep(200)
    await startDespiteRemains(startOnce, tries - 1)
  }
}
