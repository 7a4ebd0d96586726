import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runningPostgres } from '@reticle/standalone/postgres'
import { client } from './client.ts'
import { root } from './root.ts'

export { root } from './root.ts'

const main = join(root, 'apps/standalone/dist/main.js')

/** A system that runs already, which stories are told on instead of one of their own. */
interface Attached {
  url: string
  databaseOf: (service: string) => string
}
let attached: Attached | undefined

/** From here on stories of this file run on `system`, and leave it running. */
export function attach(system: Attached): void {
  attached = system
}

/** The administrator of every Reticle of the tests. */
export const password = 'a-password-for-tests'
export const basic = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

const development = {
  RETICLE_PORT: '0',
  RETICLE_ADMIN_PASSWORD: password,
  RETICLE_LOG_LEVEL: 'error',
  RETICLE_LOG_FORMAT: 'json',
  RETICLE_WEBHOOKS_ALLOW_HTTP: 'true',
  RETICLE_WEBHOOKS_ALLOWED_NETS: '127.0.0.0/8',
}

export interface Reticle {
  /** `http://127.0.0.1:PORT` */
  url: string
  admin: ReturnType<typeof client>
  /** Address of the database that people are in. */
  people: () => Promise<string>
  pid: number
  /** What it wrote to standard output and error. */
  output: () => string
  /** Nobody reads what it writes any more, as behind a pipe to a program that has ended. */
  leaveOutput: () => void
  /** Like `kill -9` of everything: the process and its conversion process; the database server is left behind. */
  kill: () => Promise<void>
  stop: () => Promise<number | null>
  /** Its exit code, when it ends by itself. */
  ended: () => Promise<number | null>
}

/** Starts the built program as a person does, on `dataDir`, and waits for its ready line. */
export async function startReticle(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<Reticle> {
  if (attached) return onAttached(attached, dataDir)
  if (!('RETICLE_ADMIN_PASSWORD' in env)) await asStartedOnce(dataDir)
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...development, RETICLE_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that `kill` reaches the conversion process as well
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece))
  const url = await ready(child, () => text)
  const admin = client(`${url}/api`, basic)
  const pid = Number(child.pid)
  return {
    url,
    admin,
    people: async () => String(await runningPostgres(dataDir)),
    pid,
    output: () => text,
    leaveOutput: () => {
      for (const stream of [child.stdout, child.stderr]) stream.destroy()
    },
    kill: () => end(child, () => process.kill(-pid, 'SIGKILL')),
    ended: async () => {
      if (child.exitCode === null) await once(child, 'exit')
      return child.exitCode
    },
    stop: async () => {
      await end(child, () => child.kill('SIGTERM'))
      return child.exitCode
    },
  }
}

/**
 * An empty data directory becomes one that was started on before (`e2e-setup.ts`): half of a first start is making the database.
 * Who gives the administrator a password of their own wants a real first start.
 */
async function asStartedOnce(dataDir: string): Promise<void> {
  const { RETICLE_TEST_STARTED_ONCE: model } = process.env
  if (!model || readdirSync(dataDir).length > 0) return
  await promisify(execFile)('cp', ['-a', `${model}/.`, dataDir]) // owners as well: the database is another account's
}

function onAttached({ url, databaseOf }: Attached, dataDir: string): Reticle {
  writeFileSync(join(dataDir, 'admin-password'), password) // where the README looks for it
  const isNotOurs = async () => {
    throw new Error('a story does not kill the system that it is told on')
  }
  return {
    url,
    admin: client(`${url}/api`, basic),
    people: async () => databaseOf('projects'),
    pid: 0,
    output: () => '',
    leaveOutput: () => undefined,
    kill: isNotOurs,
    ended: isNotOurs,
    stop: async () => 0,
  }
}

async function ready(child: ChildProcess, text: () => string): Promise<string> {
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
    const [, url] = /^Reticle is ready at (\S+)/m.exec(text()) ?? []
    if (url) return url
    if (child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`Reticle did not get ready:\n${text()}`)
}

async function end(child: ChildProcess, signal: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  signal()
  await gone
}

/** An empty data directory, removed after the file or test that asked. */
export function dataDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'reticle-e2e-'))
  chmodSync(path, 0o755) // open to the account of the database, so that all of it lies here
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
