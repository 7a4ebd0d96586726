import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { provideDatabase, schemas } from './database.mjs'
import { forgetEvents } from './events.mjs'
import { openFront } from './front.mjs'
import { makePart } from './part.mjs'
import { freePorts } from './ports.mjs'
import { readOrCreateSecret } from './secret-file.mjs'
import { ownSettings, sharedSettings } from './settings.mjs'
import { reportProgress } from './tools.mjs'

const run = promisify(execFile)
const services = Object.keys(schemas)

/** Programs of the processes, and their time limits for a graceful stop. */
const programs = {
  gateway: { file: 'gateway/dist/main.js', stopMs: 40_000 },
  projects: { file: 'projects-svc/dist/main.js', stopMs: 40_000 },
  annotations: { file: 'annotations-svc/dist/main.js', stopMs: 40_000 },
  jobs: { file: 'jobs-svc/dist/main.js', stopMs: 40_000 },
  webhooks: { file: 'webhooks-svc/dist/main.js', stopMs: 30_000 },
  worker: { file: 'jobs-svc/dist/worker.js', stopMs: 120_000 },
}
const appsFolder = fileURLToPath(new URL('../../apps', import.meta.url))
const fileOf = (app) => join(appsFolder, programs[app].file)

/**
 * Starts the split system: every app as a separate process, on running servers. Services start first, then workers and
 * gateways; `stop` drains in reverse. Uses the built programs, so `npm run build` must run before.
 *
 * Options: `parts` (the `RETICLE_TEST_*` settings of the servers), `folder` (keys, and `logs/`), `gateways` and
 * `workers` (1), `replicas` (of services, e.g. `{projects: 2}`), `port` of the one public address (free), `database`
 * and `bucket` (names, `reticle`), `admin` (`{username, password, email}`), `env` (settings that override the defaults,
 * for all), `envOf(name)` (for one), `onGone(name, code, process)` (called when one ends unexpectedly).
 *
 * @returns `{url, urls, ports, databaseOf, processes, restart, kill, stop}`: `processes['worker-1'].{start, stop, kill,
 * pause, ...}`
 * @throws Error with the end of the log of the process that did not start
 */
export async function startSystem(options) {
  const { folder, parts, port = 0, database = 'reticle', bucket = 'reticle' } = options
  const logs = join(folder, 'logs')
  await mkdir(logs, { recursive: true })
  const names = namesOf(options)
  const ports = await portsOf(names, port)
  const keys = await readKeys(folder)
  const { access, isNew } = await provideDatabase(parts.RETICLE_TEST_DATABASE_URL, database)
  if (isNew) await forgetEvents(parts.RETICLE_TEST_KAFKA_BROKERS)
  const front = await frontOf(names, ports, port)
  const url = `http://127.0.0.1:${front?.port ?? ports.get('gateway-1').http}`
  const shared = sharedSettings({ parts, keys, bucket, ports })
  const envOf = (name) => ({
    ...shared,
    RETICLE_PUBLIC_URL: url,
    ...ownSettings({ app: appOf(name), ports: ports.get(name), access, admin: options.admin }),
    ...options.env,
    ...options.envOf?.(name),
  })

  await reportProgress('Migrating the database', () => migrateAll(envOf, access))
  const processes = Object.fromEntries(
    names.map((name) => [
      name,
      makeProcess(name, { ...options, logs, ports: ports.get(name), envOf }),
    ]),
  )
  const stop = async () => {
    const codes = await stopInOrder(processes)
    await front?.close()
    return codes
  }
  try {
    await startInOrder(processes)
    await reportProgress('Waiting until every service answers', () => healthy(url))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    urls: names.filter(isGateway).map((name) => `http://127.0.0.1:${ports.get(name).http}`),
    ports: Object.fromEntries(ports),
    databaseOf: (service) => access.get(service).writer,
    processes,
    restart: (name) => processes[name].restart(),
    kill: (name) => processes[name].kill(),
    stop,
  }
}

const appOf = (name) => name.replace(/-\d+$/, '')
const isGateway = (name) => appOf(name) === 'gateway'
const isService = (name) => services.includes(appOf(name))

function namesOf({ gateways = 1, workers = 1, replicas = {} }) {
  const counts = { gateway: gateways, worker: workers }
  for (const service of services) counts[service] = replicas[service] ?? 1
  return Object.entries(counts).flatMap(([app, count]) =>
    Array.from({ length: count }, (_, index) => `${app}-${index + 1}`),
  )
}

/** A single gateway listens on the public port itself. */
async function portsOf(names, publicPort) {
  const free = await freePorts(names.length * 2)
  const isAlone = names.filter(isGateway).length === 1
  return new Map(
    names.map((name, index) => {
      const [metrics, own] = free.slice(index * 2)
      if (isGateway(name)) return [name, { metrics, http: (isAlone && publicPort) || own }]
      return [name, isService(name) ? { metrics, grpc: own } : { metrics }]
    }),
  )
}

async function frontOf(names, ports, port) {
  const gateways = names.filter(isGateway)
  if (gateways.length < 2) return undefined
  return openFront(
    gateways.map((name) => ports.get(name).http),
    { port },
  )
}

async function readKeys(folder) {
  const random = () => randomBytes(32).toString('base64')
  return {
    internal: await readOrCreateSecret(join(folder, 'internal-key'), random),
    secret: await readOrCreateSecret(join(folder, 'secret-keys'), () => `k1:${random()}`),
  }
}

/** Migrates the schema of every service in the role that owns it, like the migration job of the chart. */
async function migrateAll(envOf, access) {
  await Promise.all(
    services.map(async (service) => {
      const owner = `RETICLE_${service.toUpperCase()}_OWNER_DATABASE_URL`
      const env = {
        ...process.env,
        ...envOf(`${service}-1`),
        [owner]: access.get(service).owner,
      }
      await run(process.execPath, [fileOf(service), 'migrate'], { env }).catch((error) => {
        const output = `${error.stdout}${error.stderr}`.trim()
        throw new Error(`the migrations of ${service} failed:\n${output || error.message}`)
      })
    }),
  )
}

const answers = async (url) => (await fetch(url, { signal: AbortSignal.timeout(3000) })).ok

/** A process is ready without the others; the system is ready when the gateway reaches all of them. */
async function healthy(url) {
  for (const limit = Date.now() + 60_000; Date.now() < limit; await sleep(50)) {
    if (await answers(`${url}/api/server/health`).catch(() => false)) return
  }
  const why = await fetch(`${url}/api/server/health`).then((answer) => answer.text())
  throw new Error(`not healthy within 60 s: ${why}`)
}

function makeProcess(name, { logs, ports, envOf, onGone }) {
  const { stopMs } = programs[appOf(name)]
  const one = makePart({
    name,
    logs,
    choosePorts: async () => {},
    command: () => ({ command: process.execPath, args: [fileOf(appOf(name))], env: envOf(name) }),
    isReady: () => answers(`http://127.0.0.1:${ports.metrics}/readyz`),
    env: () => envOf(name),
    stopMs,
    onGone: (code) => onGone?.(name, code, one),
  })
  return one
}

/** Services call each other only during requests, so they start together. */
async function startInOrder(processes) {
  const [first, then] = [isService, (name) => !isService(name)].map((belongs) =>
    Object.keys(processes).filter(belongs),
  )
  for (const group of [first, then]) {
    const starting = group.map((name) =>
      reportProgress(`Starting ${name}`, () => processes[name].start()),
    )
    const failed = (await Promise.allSettled(starting)).find(({ reason }) => reason)
    if (failed) throw failed.reason
  }
}

/** Stops gateways and workers before services. Returns exit codes by name. */
async function stopInOrder(processes) {
  const codes = {}
  for (const belongs of [isGateway, (name) => appOf(name) === 'worker', isService]) {
    const group = Object.keys(processes).filter(belongs)
    await Promise.all(
      group.map(async (name) => {
        codes[name] = await reportProgress(`Stopping ${name}`, () => processes[name].stop())
      }),
    )
  }
  return codes
}
