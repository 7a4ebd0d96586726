import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startParts } from '../deploy/local/parts.mjs'
import { readOrCreateSecret } from '../deploy/local/secret-file.mjs'
import { startSystem } from '../deploy/local/system.mjs'
import { prepareCheckout, root } from './ready.mjs'

/**
 * Runs a whole cluster on a laptop without Docker: Kafka, MinIO, PostgreSQL and every app as a separate process. Data,
 * keys and logs are in `.reticle-cluster` or `RETICLE_DATA_DIR`. Ctrl-C drains everything in order.
 */
const { RETICLE_DATA_DIR, RETICLE_PORT = '8080' } = process.env
const folder = resolve(RETICLE_DATA_DIR ?? join(root, '.reticle-cluster'))
const echoMs = 2000
const reviveMs = 5000
const stops = []
let isStopping = false

const help = `npm run cluster -- [--gateways N] [--workers N]

Kafka, MinIO, PostgreSQL and every app its own process, until Ctrl-C; needs Node, Java, Maven and Go. Data, keys and logs
stay in .reticle-cluster (RETICLE_DATA_DIR), the address is http://127.0.0.1:8080 (RETICLE_PORT). The first start builds
MinIO, which takes some minutes.

  npm run cluster                              one gateway, one conversion worker
  npm run cluster -- --gateways 2 --workers 4`

try {
  const counts = readCounts()
  console.error('Building what changed ...')
  prepareCheckout()
  await start(counts)
  await signalled()
  process.exitCode = await stopAll()
} catch (error) {
  console.error(error.message)
  await stopAll()
  process.exitCode = error.exitCode ?? 1
}

function readCounts() {
  const count = { type: 'string', default: '1' }
  const options = { gateways: count, workers: count, help: { type: 'boolean' } }
  const { help: isAsked, ...counts } = parseArgs({ options }).values
  if (isAsked) {
    console.log(help)
    process.exit(0)
  }
  return Object.fromEntries(
    Object.entries(counts).map(([name, text]) => {
      if (/^[1-9]\d?$/.test(text)) return [name, Number(text)]
      throw new Error(`--${name} ${text}: expected a number from 1 to 99`)
    }),
  )
}

async function start(counts) {
  mkdirSync(folder, { recursive: true })
  stops.push(await lock())
  console.log(`Logs are in ${join(folder, 'logs')}`)
  const parts = await startParts({ folder, onGone: revive })
  stops.push(parts.stop)
  const admin = await administrator()
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
async function revive(name, code, part) {
  console.error(`${name} ended by itself (exit code ${code}) and is started again`)
  while (!isStopping) {
    const failure = await part.start().catch((error) => error)
    if (!failure) return console.error(`${name} is ready again`)
    console.error(failure.message)
    await sleep(reviveMs)
  }
}

/** Allows one cluster at a time in a folder. */
async function lock() {
  const built = new URL('../apps/standalone/dist/data-dir/lock.js', import.meta.url)
  const { lockDataDir } = await import(built.href)
  return lockDataDir(folder)
}

async function administrator() {
  const { RETICLE_ADMIN_USERNAME, RETICLE_ADMIN_PASSWORD, RETICLE_ADMIN_EMAIL } = process.env
  const make = () => RETICLE_ADMIN_PASSWORD ?? randomBytes(12).toString('base64url')
  return {
    username: RETICLE_ADMIN_USERNAME ?? 'admin',
    password: await readOrCreateSecret(join(folder, 'admin-password'), make),
    email: RETICLE_ADMIN_EMAIL ?? 'admin@localhost',
  }
}

/** Writes the settings with which `npm run ops` reaches this database, whose port changes with each start. */
async function writeSettings(parts) {
  const file = join(folder, 'operator.env')
  const database = new URL(parts.RETICLE_TEST_DATABASE_URL)
  database.pathname = '/reticle'
  await rm(file, { force: true })
  await writeFile(file, `export RETICLE_DATABASE_URL='${database.href}'\n`, { mode: 0o600 })
  return file
}

function welcome({ url, ports }, { username, password }, settings) {
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
function signalled() {
  return new Promise((resolve) => {
    let signals = 0
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(name, () => {
        signals ||= Date.now()
        if (Date.now() - signals > echoMs) process.exit(1) // a second signal, and not the echo of the first
        resolve()
      })
    }
  })
}

/** Stops in reverse order; returns the exit code. */
async function stopAll() {
  isStopping = true
  let code = 0
  for (const stop of stops.reverse()) {
    await stop().catch((error) => {
      console.error(error.message)
      code = 1
    })
  }
  return code
}
