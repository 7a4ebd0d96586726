import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Access } from '@reticle/kit/db/provision'
import { provideDatabase, schemas } from './database.ts'
import { forgetEvents } from './events.ts'
import { type Front, openFront } from './front.ts'
import { makePart, type ServerPart } from './part.ts'
import { freePorts } from './ports.ts'
import { readOrCreateSecret } from './secret-file.ts'
import {
  type ClusterAdministrator,
  ownSettings,
  type ProcessPorts,
  type Settings,
  sharedSettings,
} from './settings.ts'
import { reportProgress } from './tools.mjs'

const run = promisify(execFile)
const services = Object.keys(schemas)

/** Programs of the processes, and their time limits for a graceful stop. */
const programs: Record<string, { file: string; stopMs: number }> = {
  gateway: { file: 'gateway/dist/main.js', stopMs: 40_000 },
  projects: { file: 'projects-svc/dist/main.js', stopMs: 40_000 },
  annotations: { file: 'annotations-svc/dist/main.js', stopMs: 40_000 },
  jobs: { file: 'jobs-svc/dist/main.js', stopMs: 40_000 },
  webhooks: { file: 'webhooks-svc/dist/main.js', stopMs: 30_000 },
  worker: { file: 'jobs-svc/dist/worker.js', stopMs: 120_000 },
}
const appsFolder = fileURLToPath(new URL('../../../apps', import.meta.url))
const programOf = (app: string) => {
  const program = programs[app]
  if (!program) throw new Error(`there is no app ${app}`)
  return program
}
const fileOf = (app: string) => join(appsFolder, programOf(app).file)

export interface SystemOptions {
  /** The settings `RETICLE_TEST_*`: addresses of the running PostgreSQL, Kafka and object store. */
  parts: Settings
  /** Folder of keys, and of `logs/` of every process. */
  folder: string
  admin: ClusterAdministrator
  /** Number, by default 1. */
  gateways?: number
  workers?: number
  /** Replicas of services: `{ projects: 2 }`. */
  replicas?: Record<string, number>
  /** Port of the public address; by default a free one. */
  port?: number
  /** Name, by default `reticle`. */
  database?: string
  bucket?: string
  /** Settings that override the defaults: for all processes, and for one. */
  env?: Settings
  envOf?: (name: string) => Settings
  /** Called when a process ends unexpectedly. */
  onGone?: (name: string, code: number, one: ServerPart) => void
}

export interface System {
  /** Common address of all gateways: `http://127.0.0.1:PORT`. */
  url: string
  /** Address of each gateway. */
  urls: string[]
  ports: Record<string, ProcessPorts>
  /** Returns the address of the database role of a service: `projects`, `annotations`, `jobs`, `webhooks`. */
  databaseOf: (service: string) => string
  /** Names: `gateway-1`, `projects-1`, `annotations-1`, `jobs-1`, `webhooks-1`, `worker-1`, ... */
  processes: Record<string, ServerPart>
  restart: (name: string) => Promise<void>
  kill: (name: string) => Promise<void>
  /** Drains in order; returns exit codes by name. */
  stop: () => Promise<Record<string, number>>
}

/**
 * Starts the split system: every app as a separate process, on running servers. Services start first, then workers and
 * gateways; `stop` drains in reverse. Uses the built programs, so `npm run build` must run before.
 *
 * @throws Error with the end of the log of the process that did not start
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { folder, parts, port = 0, database = 'reticle', bucket = 'reticle' } = options
  const setting = (name: string) => parts[name] ?? ''
  const logs = join(folder, 'logs')
  await mkdir(logs, { recursive: true })
  const names = namesOf(options)
  const ports = await portsOf(names, port)
  const keys = await readKeys(folder)
  const { access, isNew } = await provideDatabase(setting('RETICLE_TEST_DATABASE_URL'), database)
  if (isNew) await forgetEvents(setting('RETICLE_TEST_KAFKA_BROKERS'))
  const front = await frontOf(names, ports, port)
  const url = `http://127.0.0.1:${front?.port ?? ports.get('gateway-1')?.http}`
  const shared = sharedSettings({ parts, keys, bucket, ports })
  const envOf = (name: string): Settings => ({
    ...shared,
    RETICLE_PUBLIC_URL: url,
    ...ownSettings({ app: appOf(name), ports: portsAt(ports, name), access, admin: options.admin }),
    ...options.env,
    ...options.envOf?.(name),
  })

  await reportProgress('Migrating the database', () => migrateAll(envOf, access))
  const processes = Object.fromEntries(
    names.map((name) => [name, makeProcess(name, logs, portsAt(ports, name), envOf, options)]),
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
    urls: names.filter(isGateway).map((name) => `http://127.0.0.1:${ports.get(name)?.http}`),
    ports: Object.fromEntries(ports),
    databaseOf: (service) => access.get(service)?.writer ?? '',
    processes,
    restart: (name) => processAt(processes, name).restart(),
    kill: (name) => processAt(processes, name).kill(),
    stop,
  }
}

const portsAt = (ports: ReadonlyMap<string, ProcessPorts>, name: string): ProcessPorts => {
  const found = ports.get(name)
  if (!found) throw new Error(`there is no process ${name}`)
  return found
}
const processAt = (processes: Readonly<Record<string, ServerPart>>, name: string): ServerPart => {
  const found = processes[name]
  if (!found) throw new Error(`there is no process ${name}`)
  return found
}
const appOf = (name: string) => name.replace(/-\d+$/, '')
const isGateway = (name: string) => appOf(name) === 'gateway'
const isService = (name: string) => services.includes(appOf(name))

function namesOf({ gateways = 1, workers = 1, replicas = {} }: SystemOptions): string[] {
  const counts: Record<string, number> = { gateway: gateways, worker: workers }
  for (const service of services) counts[service] = replicas[service] ?? 1
  return Object.entries(counts).flatMap(([app, count]) =>
    Array.from({ length: count }, (_, index) => `${app}-${index + 1}`),
  )
}

/** A single gateway listens on the public port itself. */
async function portsOf(
  names: readonly string[],
  publicPort: number,
): Promise<Map<string, ProcessPorts>> {
  const free = await freePorts(names.length * 2)
  const isAlone = names.filter(isGateway).length === 1
  return new Map(
    names.map((name, index): [string, ProcessPorts] => {
      const [metrics = 0, own = 0] = free.slice(index * 2)
      if (isGateway(name)) return [name, { metrics, http: (isAlone && publicPort) || own }]
      return [name, isService(name) ? { metrics, grpc: own } : { metrics }]
    }),
  )
}

async function frontOf(
  names: readonly string[],
  ports: ReadonlyMap<string, ProcessPorts>,
  port: number,
): Promise<Front | undefined> {
  const gateways = names.filter(isGateway)
  if (gateways.length < 2) return undefined
  return openFront(
    gateways.flatMap((name) => ports.get(name)?.http ?? []),
    { port },
  )
}

async function readKeys(folder: string): Promise<{ internal: string; secret: string }> {
  const random = () => randomBytes(32).toString('base64')
  return {
    internal: await readOrCreateSecret(join(folder, 'internal-key'), random),
    secret: await readOrCreateSecret(join(folder, 'secret-keys'), () => `k1:${random()}`),
  }
}

/** Migrates the schema of every service in the role that owns it, like the migration job of the chart. */
async function migrateAll(
  envOf: (name: string) => Settings,
  access: ReadonlyMap<string, Access>,
): Promise<void> {
  await Promise.all(
    services.map(async (service) => {
      const owner = `RETICLE_${service.toUpperCase()}_OWNER_DATABASE_URL`
      const env = {
        ...process.env,
        ...envOf(`${service}-1`),
        [owner]: access.get(service)?.owner,
      }
      await run(process.execPath, [fileOf(service), 'migrate'], { env }).catch((error) => {
        const output = `${error.stdout}${error.stderr}`.trim()
        throw new Error(`the migrations of ${service} failed:\n${output || error.message}`)
      })
    }),
  )
}

const answers = async (url: string) => (await fetch(url, { signal: AbortSignal.timeout(3000) })).ok

/** A process is ready without the others; the system is ready when the gateway reaches all of them. */
async function healthy(url: string): Promise<void> {
  for (const limit = Date.now() + 60_000; Date.now() < limit; await sleep(50)) {
    if (await answers(`${url}/api/server/health`).catch(() => false)) return
  }
  const why = await fetch(`${url}/api/server/health`).then((answer) => answer.text())
  throw new Error(`not healthy within 60 s: ${why}`)
}

function makeProcess(
  name: string,
  logs: string,
  ports: ProcessPorts,
  envOf: (name: string) => Settings,
  { onGone }: SystemOptions,
): ServerPart {
  const { stopMs } = programOf(appOf(name))
  const one: ServerPart = makePart({
    name,
    logs,
    command: () => ({ command: process.execPath, args: [fileOf(appOf(name))], env: envOf(name) }),
    isReady: () => answers(`http://127.0.0.1:${ports.metrics}/readyz`),
    stopMs,
    onGone: (code) => onGone?.(name, code, one),
  })
  return one
}

/** Services call each other only during requests, so they start together. */
async function startInOrder(processes: Readonly<Record<string, ServerPart>>): Promise<void> {
  const names = Object.keys(processes)
  for (const group of [names.filter(isService), names.filter((name) => !isService(name))]) {
    const starting = group.map((name) =>
      reportProgress(`Starting ${name}`, () => processAt(processes, name).start()),
    )
    const results = await Promise.allSettled(starting)
    const failed = results.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
  }
}

/** Stops gateways and workers before services. Returns exit codes by name. */
async function stopInOrder(
  processes: Readonly<Record<string, ServerPart>>,
): Promise<Record<string, number>> {
  const codes: Record<string, number> = {}
  const isWorker = (name: string) => appOf(name) === 'worker'
  for (const belongs of [isGateway, isWorker, isService]) {
    const group = Object.keys(processes).filter(belongs)
    await Promise.all(
      group.map(async (name) => {
        const one = processAt(processes, name)
        codes[name] = await reportProgress(`Stopping ${name}`, () => one.stop())
      }),
    )
  }
  return codes
}
