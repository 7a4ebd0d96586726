import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { root } from '@reticle/scripts/ready'
import { lockDataDir } from '@reticle/standalone/data-dir/lock'
import type { ServerPart } from './part.ts'
import { startParts } from './parts.ts'
import { readOrCreateSecret } from './secret-file.ts'
import type { ClusterAdministrator, Settings } from './settings.ts'
import { type System, startSystem } from './system.ts'
import { exitCodeOf } from './tools.mjs'

/**
 * Runs a whole cluster on a laptop without Docker: Kafka, MinIO, PostgreSQL and every app as a separate process. Data,
 * keys and logs are in `.reticle-cluster` or `RETICLE_DATA_DIR`. Ctrl-C drains everything in order.
 */
const { RETICLE_DATA_DIR, RETICLE_PORT = '8080' } = process.env
const folder = resolve(RETICLE_DATA_DIR ?? join(root, '.reticle-cluster'))
const echoMs = 2000
const reviveMs = 5000
const stops: (() => Promise<unknown>)[] = []
let isStopping = false

const help = `npm run cluster -- [--gateways N] [--workers N]

Kafka, MinIO, PostgreSQL and every app its own process, until Ctrl-C; needs Node, Java, Maven and Go. Data, keys and logs
stay in .reticle-cluster (RETICLE_DATA_DIR), the address is http://127.0.0.1:8080 (RETICLE_PORT). The first start builds
MinIO, which takes some minutes.

  npm run cluster                              one gateway, one conversion worker
  npm run cluster -- --gateways 2 --workers 4`

try {
  const counts = readCounts()
  await start(counts)
  await waitForSignal()
  process.exitCode = await stopAll()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  await stopAll()
  process.exitCode = exitCodeOf(error)
}

function readCounts(): { gateways: number; workers: number } {
  const count = { type: 'string', default: '1' } as const
  const options = { gateways: count, workers: count, help: { type: 'boolean' } } as const
  const { help: isRequested, gateways, workers } = parseArgs({ options }).values
  if (isRequested) {
    console.log(help)
    process.exit(0)
  }
  return { gateways: countOf('gateways', gateways), workers: countOf('workers', workers) }
}

function countOf(name: string, text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  throw new Error(`--${name} ${text}: expected a number from 1 to 99`)
}

async function start(counts: { gateways: number; workers: number }): Promise<void> {
  mkdirSync(folder, { recursive: true })
  stops.push(await lockDataDir(folder)) // one cluster at a time in a folder
  console.log(`Logs are in ${join(folder, 'logs')}`)
  const parts = await startParts({ folder, onGone: revive })
  stops.push(parts.stop)
  const admin = await readAdministrator()
  const settings = await writeSettings(parts.env)
  const system = await startSystem({
    ...counts,
    parts: parts.env,
    folder,
    port: Number(RETICLE_PORT),
    admin,
    onGone: revive,
  })
  stops.push(system.stop)
  console.log(welcome(system, admin, settings))
}

/** Restarts a process, as an orchestrator would. */
async function revive(name: string, code: number, part: ServerPart): Promise<void> {
  console.error(`${name} ended by itself (exit code ${code}) and is started again`)
  while (!isStopping) {
    const failure: unknown = await part.start().catch((error: unknown) => error)
    if (!failure) return console.error(`${name} is ready again`)
    console.error(failure instanceof Error ? failure.message : failure)
    await sleep(reviveMs)
  }
}

async function readAdministrator(): Promise<ClusterAdministrator> {
  const { RETICLE_ADMIN_USERNAME, RETICLE_ADMIN_PASSWORD, RETICLE_ADMIN_EMAIL } = process.env
  const make = () => RETICLE_ADMIN_PASSWORD ?? randomBytes(12).toString('base64url')
  return {
    username: RETICLE_ADMIN_USERNAME ?? 'admin',
    password: await readOrCreateSecret(join(folder, 'admin-password'), make),
    email: RETICLE_ADMIN_EMAIL ?? 'admin@localhost',
  }
}

/** Writes the settings with which `npm run ops` reaches this database, whose port changes with each start. */
async function writeSettings(parts: Settings): Promise<string> {
  const file = join(folder, 'operator.env')
  const database = new URL(parts.RETICLE_TEST_DATABASE_URL ?? '')
  database.pathname = '/reticle'
  await rm(file, { force: true })
  await writeFile(file, `export RETICLE_DATABASE_URL='${database.href}'\n`, { mode: 0o600 })
  return file
}

function welcome(
  { url, ports }: System,
  { username, password }: ClusterAdministrator,
  settings: string,
): string {
  const curl = `curl -u '${username}:${password}' ${url}/api`
  const metrics = Object.entries(ports).map(([name, { metrics }]) => `${name} ${metrics}`)
  return `
  Ports of /metrics and /readyz
    ${metrics.join(', ')}

  Administrator  ${username}
  Password       ${password}

  Try:
    ${curl}/users/self
    ${curl}/projects -H 'Content-Type: application/json' -d '{"name":"First","labels":[{"name":"car"}]}'

  Operate it from another terminal:
    . ${settings} && RETICLE_DATA_DIR=${folder} npm run ops -- dead list

  Ctrl-C drains and stops everything; data and logs stay in ${folder}

Reticle is ready at ${url}`
}

/** Signals during the start need no handler: the guard processes of the servers end them together with this process. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        signals ||= Date.now()
        if (Date.now() - signals > echoMs) process.exit(1) // a second signal, and not the echo of the first
        resolve()
      })
    }
  })
}

/** Stops in reverse order; returns the exit code. */
async function stopAll(): Promise<number> {
  isStopping = true
  let code = 0
  for (const stop of stops.reverse()) {
    await stop().catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : error)
      code = 1
    })
  }
  return code
}
