import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './reticle.ts'

/** What tests use of `deploy/local`, which is plain JavaScript outside of every package: typed here, loaded by path. */

export interface FoundParts {
  /** Settings that the environment did not have. */
  env: Record<string, string>
  /** In words: `containers`, `deploy/local`, `the environment`. */
  source: string
  stop: () => Promise<void>
}

export interface SystemOptions {
  /** The settings `RETICLE_TEST_*` of the real servers. */
  parts: Record<string, string | undefined>
  /** Keys, and `logs/` of every process. */
  folder: string
  admin: { username: string; password: string; email: string }
  gateways?: number
  workers?: number
  /** Of services: `{ projects: 2 }`. */
  replicas?: Record<string, number>
  /** Names, `reticle` unless told otherwise. */
  database?: string
  bucket?: string
  /** Settings over ours: for all, and for one process. */
  env?: Record<string, string | undefined>
  envOf?: (name: string) => Record<string, string | undefined>
  /** A process ended and nobody asked for that. */
  onGone?: (name: string, code: number, one: SystemProcess) => void
}

/** One process of a system; it keeps its ports through every restart. */
export interface SystemProcess {
  /** The path of its log. */
  log: string
  /** Done when it is ready. */
  start: () => Promise<void>
  /** SIGTERM; answers the exit code. */
  stop: () => Promise<number>
  kill: () => Promise<void>
  pause: () => Promise<void>
  resume: () => Promise<void>
  restart: () => Promise<void>
  isRunning: () => boolean
  pid: () => number
}

export interface System {
  /** Of all gateways together: `http://127.0.0.1:PORT`. */
  url: string
  /** Of each gateway. */
  urls: string[]
  ports: Record<string, { metrics: number; grpc?: number; http?: number }>
  /** Address of the role of a service: `projects`, `annotations`, `jobs`, `webhooks`. */
  databaseOf: (service: string) => string
  /** `gateway-1`, `projects-1`, `annotations-1`, `jobs-1`, `webhooks-1`, `worker-1`, ... */
  processes: Record<string, SystemProcess>
  restart: (name: string) => Promise<void>
  kill: (name: string) => Promise<void>
  /** Drains in order; answers exit codes by name. */
  stop: () => Promise<Record<string, number>>
}

/** A real server of ours; it keeps its ports and its data through every restart. */
export type Part = Pick<SystemProcess, 'log' | 'start' | 'kill' | 'isRunning' | 'pid'>

export interface StartedParts {
  /** The settings `RETICLE_TEST_*` by which they are found. */
  env: Record<string, string>
  /** `kafka`, `minio`, `postgres`. */
  parts: Record<string, Part>
  stop: () => Promise<void>
}

interface Launcher {
  findParts: () => Promise<FoundParts>
  startParts: (options: { folder: string }) => Promise<StartedParts>
  startSystem: (options: SystemOptions) => Promise<System>
}

/** The real servers in the order of `design.md` 3. @throws Error naming the tool that is missing */
export async function findParts(): Promise<FoundParts> {
  const launcher: Pick<Launcher, 'findParts'> = await load('find.mjs')
  return launcher.findParts()
}

/** Real Kafka, MinIO and PostgreSQL, their data in `folder`. @throws Error naming the tool that is missing */
export async function startParts(folder: string): Promise<StartedParts> {
  const launcher: Pick<Launcher, 'startParts'> = await load('parts.mjs')
  return launcher.startParts({ folder })
}

/** Every app its own process, on servers that already run. @throws Error with the end of the log of what did not start */
export async function startSystem(options: SystemOptions): Promise<System> {
  const launcher: Pick<Launcher, 'startSystem'> = await load('system.mjs')
  return launcher.startSystem(options)
}

const load = (file: string) => import(pathToFileURL(join(root, 'deploy/local', file)).href)
