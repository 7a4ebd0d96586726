import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './reticle.ts'

/** Types of `deploy/local`, which is plain JavaScript outside of every package and is loaded by path. */

export interface TestServers {
  /** Settings that the environment did not have. */
  env: Record<string, string>
  /** Description: `containers`, `deploy/local`, `the environment`. */
  source: string
  stop: () => Promise<void>
}

export interface SystemOptions {
  /** The settings `RETICLE_TEST_*` of the real servers. */
  parts: Record<string, string | undefined>
  /** Folder of keys, and of `logs/` of every process. */
  folder: string
  admin: { username: string; password: string; email: string }
  gateways?: number
  workers?: number
  /** Replicas of services: `{ projects: 2 }`. */
  replicas?: Record<string, number>
  /** Name, by default `reticle`. */
  database?: string
  bucket?: string
  /** Settings that override the defaults: for all processes, and for one. */
  env?: Record<string, string | undefined>
  envOf?: (name: string) => Record<string, string | undefined>
  /** Called when a process ends unexpectedly. */
  onGone?: (name: string, code: number, one: SystemProcess) => void
}

/** One process of a system; it keeps its ports through every restart. */
export interface SystemProcess {
  /** Path of its log. */
  log: string
  /** Resolves when it is ready. */
  start: () => Promise<void>
  /** Sends SIGTERM; returns the exit code. */
  stop: () => Promise<number>
  kill: () => Promise<void>
  pause: () => Promise<void>
  resume: () => Promise<void>
  restart: () => Promise<void>
  isRunning: () => boolean
  pid: () => number
}

export interface System {
  /** Common address of all gateways: `http://127.0.0.1:PORT`. */
  url: string
  /** Address of each gateway. */
  urls: string[]
  ports: Record<string, { metrics: number; grpc?: number; http?: number }>
  /** Returns the address of the database role of a service: `projects`, `annotations`, `jobs`, `webhooks`. */
  databaseOf: (service: string) => string
  /** Names: `gateway-1`, `projects-1`, `annotations-1`, `jobs-1`, `webhooks-1`, `worker-1`, ... */
  processes: Record<string, SystemProcess>
  restart: (name: string) => Promise<void>
  kill: (name: string) => Promise<void>
  /** Drains in order; returns exit codes by name. */
  stop: () => Promise<Record<string, number>>
}

/** A real server; it keeps its ports and its data through every restart. */
export type ServerPart = Pick<SystemProcess, 'log' | 'start' | 'kill' | 'isRunning' | 'pid'>

export interface StartedParts {
  /** The settings `RETICLE_TEST_*` with its addresses. */
  env: Record<string, string>
  /** Names: `kafka`, `minio`, `postgres`. */
  parts: Record<string, ServerPart>
  stop: () => Promise<void>
}

interface Launcher {
  findParts: () => Promise<TestServers>
  startParts: (options: { folder: string }) => Promise<StartedParts>
  startSystem: (options: SystemOptions) => Promise<System>
}

/**
 * Returns the real servers: those of the environment, containers, or newly started ones.
 * @throws Error naming the missing tool
 */
export async function findParts(): Promise<TestServers> {
  const launcher: Pick<Launcher, 'findParts'> = await load('find.mjs')
  return launcher.findParts()
}

/**
 * Starts real Kafka, MinIO and PostgreSQL with their data in `folder`.
 * @throws Error naming the missing tool
 */
export async function startParts(folder: string): Promise<StartedParts> {
  const launcher: Pick<Launcher, 'startParts'> = await load('parts.mjs')
  return launcher.startParts({ folder })
}

/**
 * Starts every app as a separate process, on running servers.
 * @throws Error with the end of the log of the process that did not start
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const launcher: Pick<Launcher, 'startSystem'> = await load('system.mjs')
  return launcher.startSystem(options)
}

const load = (file: string) => import(pathToFileURL(join(root, 'deploy/local', file)).href)
