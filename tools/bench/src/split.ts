import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { residentMiB, type Server } from './server.ts'
import { toLoopback } from './webhooks.ts'

/** Parts of `deploy/local` that the bench uses; it is plain JavaScript outside of every package. */
interface Parts {
  env: Record<string, string>
  stop: () => Promise<void>
}
interface Program {
  pid: () => number
  isRunning: () => boolean
  start: () => Promise<unknown>
  stop: () => Promise<unknown>
}
interface System {
  url: string
  processes: Record<string, Program>
  stop: () => Promise<unknown>
}
const local = (file: string) =>
  import(new URL(`../../../deploy/local/${file}`, import.meta.url).href)

const password = 'a-password-for-benches'
const looked = ['gateway-1', 'annotations-1']

export interface SplitServer extends Server {
  /** The settings `RETICLE_TEST_*` of the real servers. */
  parts: Record<string, string>
  /** Changes the number of running workers, up to `workers`. */
  haveWorkers: (count: number) => Promise<void>
}

export interface SplitOptions {
  /** Number of workers, by default 1. */
  workers?: number
  /** Settings of workers that override the common ones, derived from the settings of the real servers. */
  envOfWorkers?: (parts: Record<string, string>) => Promise<Record<string, string>>
}

/** Starts every app as a separate process, on real Kafka, MinIO and PostgreSQL. */
export async function startSplit({
  workers = 1,
  envOfWorkers = async () => ({}),
}: SplitOptions = {}): Promise<SplitServer> {
  const folder = mkdtempSync(join(tmpdir(), 'reticle-bench-'))
  const parts: Parts = await (await local('parts.mjs')).startParts()
  const workerEnv = await envOfWorkers(parts.env)
  const system: System = await (await local('system.mjs')).startSystem({
    parts: parts.env,
    folder,
    workers,
    envOf: (name: string) => (name.startsWith('worker') ? workerEnv : {}),
    admin: { username: 'admin', password, email: 'admin@localhost' },
    env: { RETICLE_LOG_LEVEL: 'error', RETICLE_GATEWAY_RATE_USER: '0', ...toLoopback },
  })
  const database = new URL(parts.env.RETICLE_TEST_DATABASE_URL ?? '')
  database.pathname = '/reticle'
  const pids = looked.map((name) => Number(system.processes[name]?.pid()))
  return {
    parts: parts.env,
    haveWorkers: (count) => haveWorkers(system, count),
    api: `${system.url}/api`,
    authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    databaseUrl: database.href,
    memory: () => pids.map(residentMiB),
    measured: 'gateway and service, whichever has more',
    stop: async () => {
      await system.stop()
      await parts.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function haveWorkers({ processes }: System, count: number): Promise<void> {
  const workers = Object.entries(processes).filter(([name]) => name.startsWith('worker'))
  const change = async ([, worker]: [string, Program], index: number) => {
    if (index < count && !worker.isRunning()) await worker.start()
    if (index >= count && worker.isRunning()) await worker.stop()
  }
  await Promise.all(workers.map(change))
}
