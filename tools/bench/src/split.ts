import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerPart } from '@reticle/cluster/part'
import { startParts } from '@reticle/cluster/parts'
import { type System, startSystem } from '@reticle/cluster/system'
import { residentMiB, type Server } from './server.ts'
import { toLoopback } from './webhooks.ts'

const password = 'a-password-for-benches'
const looked = ['gateway-1', 'annotations-1']

export interface SplitServer extends Server {
  /** The settings `RETICLE_TEST_*`: addresses of the running PostgreSQL, Kafka and object store. */
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
  const parts = await startParts()
  const workerEnv = await envOfWorkers(parts.env)
  const system = await startSystem({
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
  const change = async ([, worker]: [string, ServerPart], index: number) => {
    if (index < count && !worker.isRunning()) await worker.start()
    if (index >= count && worker.isRunning()) await worker.stop()
  }
  await Promise.all(workers.map(change))
}
