import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import {
  asServer,
  assertSameMajor,
  binary,
  createCluster,
  dataOf,
  readPassword,
} from './cluster.ts'
import { type PostgresHome, type PostgresHomeOptions, preparePostgresHome } from './home.ts'

export interface PostgresOptions extends PostgresHomeOptions {
  /** Settings over the defaults of the server; default: those for a machine with other users. */
  settings?: Readonly<Record<string, string>>
  /** Called when the server exits without being stopped. */
  onGone?: () => void
}

export interface Postgres {
  /** Administrator's address: `postgres://reticle:<password>@127.0.0.1:<port>/postgres`. */
  url: string
  /** Ends the server's connections and then the server; a second call does nothing. */
  stop: () => Promise<void>
}

const run = promisify(execFile)
const startLimitMs = 60_000
const serverSettings = { shared_buffers: '256MB', max_wal_size: '4GB' }

/**
 * Starts the PostgreSQL of the npm package on a free loopback port, with its data in `<dataDir>/postgres`, and creates
 * the cluster on the first start. Stops a server left behind by a killed process first, so it requires the lock of the
 * data directory (`lock.ts`). The server has a separate process group, so that Ctrl-C does not reach it before it is
 * stopped.
 *
 * @throws Error with the last lines of the server's log when it does not start, or with one sentence when the data
 *   belongs to another major version
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { settings = serverSettings } = options
  const home = await preparePostgresHome(options)
  const password = await readPassword(options.dataDir, home)
  if (existsSync(dataOf(home))) await assertSameMajor(home)
  else await createCluster(home, password)

  let isStopping = false
  const onExit = () => {
    if (!isStopping) options.onGone?.()
  }
  const stop = () => {
    isStopping = true
    return stopServer(home)
  }
  const limit = Date.now() + startLimitMs
  for (;;) {
    await stopLeftBehind(home, password)
    const port = await freePort()
    const url = `postgres://reticle:${password}@127.0.0.1:${port}/postgres`
    const failure = await launch(home, { port, url, settings, onExit })
    if (!failure) return { url, stop }
    // Another program took the port, or a killed server has not exited yet: both are transient.
    const passing = /Address already in use|could not bind|postmaster\.pid/.test(failure)
    if (!passing || Date.now() > limit) throw new Error(`PostgreSQL did not start:\n${failure}`)
    await sleep(100)
  }
}

/** Starts the server; returns the reason when it does not start, undefined when it responds. */
async function launch(
  home: PostgresHome,
  {
    port,
    url,
    settings,
    onExit,
  }: { port: number; url: string; settings: Readonly<Record<string, string>>; onExit: () => void },
): Promise<string | undefined> {
  const fixed = { listen_addresses: '127.0.0.1', unix_socket_directories: '', timezone: 'UTC' }
  const all = { max_connections: '200', ...settings, ...fixed, port: String(port) }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const logFile = join(home.folder, 'server.log')
  const log = await open(logFile, 'w', 0o600)
  const server = spawn(binary(home, 'postgres'), ['-D', dataOf(home), ...flags], {
    ...asServer(home),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  let ended: string | undefined
  server.once('error', (error) => (ended = error.message))
  server.once('exit', () => (ended ??= ''))
  server.unref()
  await log.close()

  const limit = Date.now() + startLimitMs
  while (ended === undefined && Date.now() < limit) {
    if (await answers(url)) {
      server.once('exit', onExit)
      return undefined
    }
    await sleep(25)
  }
  if (ended === undefined) await stopServer(home)
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n')
  return [...lines.slice(-40), ended ?? 'no answer in time'].join('\n').trim()
}

async function answers(url: string, folder?: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query('show data_directory')
    return folder === undefined || rows[0]?.data_directory === folder
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Returns the administrator's address of the server on this data directory, started by any process; undefined without
 * one.
 */
export async function runningPostgres(dataDir: string): Promise<string | undefined> {
  const home = await preparePostgresHome({ dataDir })
  return runningServer(home, await readPassword(dataDir, home))
}

/**
 * Returns the address of a running server. Its process id may have been reused, so the server must respond with our
 * folder.
 */
async function runningServer(home: PostgresHome, password: string): Promise<string | undefined> {
  const note = await readFile(join(dataOf(home), 'postmaster.pid'), 'utf8').catch(() => '')
  const port = Number(note.split('\n')[3])
  if (!Number.isInteger(port) || port <= 0) return undefined
  const url = `postgres://reticle:${password}@127.0.0.1:${port}/postgres`
  return (await answers(url, dataOf(home))) ? url : undefined
}

/** Stops a server that a killed process left on this data. */
export async function stopLeftBehind(home: PostgresHome, password: string): Promise<void> {
  if (await runningServer(home, password)) await stopServer(home)
}

async function stopServer(home: PostgresHome): Promise<void> {
  if (!existsSync(join(dataOf(home), 'postmaster.pid'))) return
  const stop = (mode: string, seconds: number) =>
    run(
      binary(home, 'pg_ctl'),
      ['stop', '-w', '-s', '-m', mode, '-t', String(seconds), '-D', dataOf(home)],
      asServer(home),
    )
  await stop('fast', 10).catch(() => stop('immediate', 10))
}
