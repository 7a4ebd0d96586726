import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runningPostgres } from '@reticle/standalone/postgres/server'
import { z } from 'zod'
import { createApiClient } from './client.ts'
import { root } from './root.ts'

export { root } from './root.ts'

const main = join(root, 'apps/standalone/dist/main.js')

/** A running system on which tests run instead of starting a server. */
interface Attached {
  url: string
  databaseOf: (service: string) => string
}
let attached: Attached | undefined

/** Makes the following tests of this file use `system`, and leaves it running. */
export function attachSystem(system: Attached): void {
  attached = system
}

/** The parts of a server that a test which only makes calls needs. */
export type ServerUnderTest = Pick<Reticle, 'url' | 'admin' | 'people'>

/** Address and data directory of a server that the main process of vitest has started for a worker process. */
const sharedServer = z.object({ url: z.string(), dataDir: z.string() })
export type SharedServer = z.infer<typeof sharedServer>

/**
 * Returns the server that the test files of one worker process of vitest share (`shared-servers.ts`). It keeps running
 * with what other files have created in it: a file uses its own users and names, and neither counts everything nor
 * changes what belongs to the whole server. A file that must do so, or needs settings, starts its own server.
 */
export async function shareReticle(): Promise<ServerUnderTest> {
  if (attached) return callsOf(attached.url, attached.databaseOf('projects'))
  const { RETICLE_TEST_SHARED_SERVERS: starter, VITEST_POOL_ID: worker } = process.env
  const response = await fetch(`${starter}/${worker}`)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  const { url, dataDir } = sharedServer.parse(JSON.parse(text))
  return callsOf(url, String(await runningPostgres(dataDir)))
}

const callsOf = (url: string, database: string): ServerUnderTest => ({
  url,
  admin: createApiClient(`${url}/api`, basic),
  people: async () => database,
})

/** Password of the administrator of every server of the tests. */
export const password = 'a-password-for-tests'
export const basic = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

const testSettings = {
  RETICLE_PORT: '0',
  RETICLE_ADMIN_PASSWORD: password,
  RETICLE_LOG_LEVEL: 'error',
  RETICLE_LOG_FORMAT: 'json',
  RETICLE_WEBHOOKS_ALLOW_HTTP: 'true',
  RETICLE_WEBHOOKS_ALLOWED_NETS: '127.0.0.0/8',
}

export interface Reticle {
  /** Base URL: `http://127.0.0.1:PORT`. */
  url: string
  admin: ReturnType<typeof createApiClient>
  /** Returns the address of the database of users. */
  people: () => Promise<string>
  pid: number
  /** Returns its standard output and error. */
  output: () => string
  /** Closes its output, as a pipe to a program that has ended. */
  leaveOutput: () => void
  /** Kills the process and its worker by SIGKILL; the database server keeps running. */
  kill: () => Promise<void>
  stop: () => Promise<number | null>
  /** Resolves with the exit code when the server exits by itself. */
  ended: () => Promise<number | null>
}

/** Starts the built program on `dataDir`, and waits for its ready line. */
export async function startReticle(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<Reticle> {
  if (attached) return onAttached(attached, dataDir)
  if (!('RETICLE_ADMIN_PASSWORD' in env)) await asStartedOnce(dataDir)
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...testSettings, RETICLE_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a separate process group, so that `kill` also reaches the worker
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece))
  const url = await ready(child, () => text)
  const admin = createApiClient(`${url}/api`, basic)
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
 * Copies the prepared data directory (`e2e-setup.ts`) into an empty one, because creating the database takes half of a
 * first start. A test that sets another administrator password makes a real first start.
 */
async function asStartedOnce(dataDir: string): Promise<void> {
  const { RETICLE_TEST_STARTED_ONCE: model } = process.env
  if (!model || readdirSync(dataDir).length > 0) return
  await promisify(execFile)('cp', ['-a', `${model}/.`, dataDir]) // keeps the owners, because the database belongs to another account
}

function onAttached({ url, databaseOf }: Attached, dataDir: string): Reticle {
  writeFileSync(join(dataDir, 'admin-password'), password) // where the README expects it
  const isNotOurs = async () => {
    throw new Error('a story must not kill the shared system')
  }
  return {
    ...callsOf(url, databaseOf('projects')),
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
  throw new Error(`Reticle did not become ready:\n${text()}`)
}

async function end(child: ChildProcess, signal: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  signal()
  await exited
}

/** Creates an empty data directory, which is removed after the calling file or test. */
export function dataDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'reticle-e2e-'))
  chmodSync(path, 0o755) // accessible to the account of the database, so that the database is stored here too
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
