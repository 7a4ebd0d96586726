import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const guard = readFileSync(new URL('guard.sh', import.meta.url), 'utf8')
const stopLimitMs = 8000

/**
 * Starts a program under guard.sh in a separate process group, so that Ctrl-C reaches it only through this process. Its
 * output goes directly to the file `log`, because a full pipe would block it.
 *
 * @returns `{pid, exited, isRunning, signal, stop, kill}`; `exited` resolves with its exit code, `stop(limitMs)` stops
 * gracefully and then kills
 */
export async function launchServer({
  command,
  args = [],
  log,
  env,
  signal = 'TERM',
  ...spawnOptions
}) {
  const output = openSync(log, 'a')
  const child = spawn('sh', ['-c', guard, 'guard', command, ...args], {
    ...spawnOptions,
    env: { ...process.env, ...env, GUARD_SIGNAL: signal },
    detached: true,
    stdio: ['pipe', output, output, 'pipe'],
  })
  closeSync(output)
  child.stdin.on('error', () => undefined)
  const exited = once(child, 'exit').then(([code]) => code ?? 1)
  exited.catch(() => undefined)
  const pid = await pidFrom(child.stdio[3], exited)

  let isRunning = true
  exited.then(
    () => (isRunning = false),
    () => (isRunning = false),
  )
  const send = (name) => {
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

async function pidFrom(pipe, exited) {
  let text = ''
  pipe.on('data', (piece) => (text += piece))
  await Promise.race([once(pipe, 'end'), exited])
  const pid = Number(text)
  if (!Number.isInteger(pid) || pid <= 0) throw new Error('the guard did not start the program')
  return pid
}

function sendTo(pid, name) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/**
 * Waits until `isReady()` returns true, polling every 25 ms.
 *
 * @throws Error with the last 40 lines of the log if the program ended or the time limit passed
 */
export async function untilReady(name, server, { isReady, log, limitMs = 120_000 }) {
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
