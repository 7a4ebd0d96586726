import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

const guard = readFileSync(new URL('../guard.sh', import.meta.url), 'utf8')
const stopLimitMs = 8000

/** A command line, with options of its process. */
export interface ServerCommand extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  command: string
  args?: readonly string[]
  env?: Record<string, string | undefined>
  /** Signal of a graceful stop, without `SIG`. */
  signal?: 'TERM' | 'INT'
}

export interface LaunchedServer {
  pid: number
  /** Resolves with the exit code. */
  exited: Promise<number>
  isRunning: () => boolean
  signal: (name: NodeJS.Signals) => void
  /** Stops gracefully, and kills after the limit; returns the exit code. */
  stop: (limitMs?: number) => Promise<number>
  kill: () => Promise<void>
}

/**
 * Starts a program under guard.sh in a separate process group, so that Ctrl-C reaches it only through this process. Its
 * output goes directly to the file `log`, because a full pipe would block it.
 */
export async function launchServer({
  command,
  args = [],
  log,
  env,
  signal = 'TERM',
  ...spawnOptions
}: ServerCommand & { log: string }): Promise<LaunchedServer> {
  const output = openSync(log, 'a')
  const child = spawn('sh', ['-c', guard, 'guard', command, ...args], {
    ...spawnOptions,
    env: { ...process.env, ...env, GUARD_SIGNAL: signal },
    detached: true,
    stdio: ['pipe', output, output, 'pipe'],
  })
  closeSync(output)
  child.stdin?.on('error', () => undefined)
  const exited = once(child, 'exit').then(([code]): number => code ?? 1)
  exited.catch(() => undefined)
  const pid = await pidFrom(child.stdio[3], exited)

  let isRunning = true
  exited.then(
    () => (isRunning = false),
    () => (isRunning = false),
  )
  const send = (name: NodeJS.Signals) => {
    if (isRunning) sendTo(pid, name)
  }
  const stop = async (limitMs = stopLimitMs) => {
    send(`SIG${signal}`)
    send('SIGCONT') // a paused process receives no signal before it continues
    const patience = setTimeout(() => send('SIGKILL'), limitMs)
    const code = await exited
    clearTimeout(patience)
    return code
  }
  const kill = async () => {
    send('SIGKILL')
    await exited
  }
  return { pid, exited, isRunning: () => isRunning, signal: send, stop, kill }
}

async function pidFrom(
  pipe: Readable | Writable | null | undefined,
  exited: Promise<number>,
): Promise<number> {
  if (!pipe) throw new Error('the guard has no pipe')
  let text = ''
  pipe.on('data', (piece) => (text += piece))
  await Promise.race([once(pipe, 'end'), exited])
  const pid = Number(text)
  if (!Number.isInteger(pid) || pid <= 0) throw new Error('the guard did not start the program')
  return pid
}

function sendTo(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/**
 * Waits until `isReady()` returns true, polling every 25 ms.
 *
 * @throws Error with the last 40 lines of the log if the program ended or the time limit passed
 */
export async function untilReady(
  name: string,
  server: LaunchedServer,
  { isReady, log }: { isReady: () => Promise<boolean>; log: string },
): Promise<void> {
  const limitMs = 120_000
  for (const limit = Date.now() + limitMs; Date.now() < limit; ) {
    if (!server.isRunning()) break
    if (await isReady().catch(() => false)) return
    await sleep(25)
  }
  const why = server.isRunning() ? `not ready within ${limitMs / 1000} s` : 'ended'
  await server.stop()
  const lines = readFileSync(log, 'utf8').trim().split('\n').slice(-40)
  throw new Error([`${name}: ${why}; the end of ${log}:`, ...lines].join('\n'))
}
