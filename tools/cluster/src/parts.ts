import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { azuritePart } from './azurite.ts'
import { isAlive } from './cache.mjs'
import { gcsPart } from './gcs.ts'
import { kafkaPart } from './kafka.ts'
import { minioPart } from './minio.ts'
import type { ControlledPart, OnExit, ServerPart } from './part.ts'
import { postgresPart } from './postgres.ts'
import { reportProgress } from './tools.mjs'
import { versitygwPart } from './versitygw.ts'

/** A real server: a process, or a container, which is removed at the end. */
export interface AnyPart extends ControlledPart {
  /** Returns the settings `RETICLE_TEST_*` with its addresses. */
  env: () => Record<string, string>
  remove?: () => Promise<unknown>
}

/** Prepares a server, without starting it. */
export type PartMaker<Part extends AnyPart = ServerPart> = (
  folder: string,
  logs: string,
  onGone: OnExit,
) => Promise<Part>

export interface StartedParts<Part extends AnyPart = ServerPart> {
  /** The settings `RETICLE_TEST_*` with their addresses. */
  env: Record<string, string>
  /** Folder of their logs. */
  logs: string
  /** By name: `kafka`, `minio`, `postgres`, `azurite`, `gcs`. */
  parts: Record<string, Part>
  stop: () => Promise<void>
}

interface StartOptions<Part> {
  /** By default those that Reticle needs. */
  names?: readonly string[]
  /** Folder of data, and of `logs/`; by default a temporary one. */
  folder?: string
  /** Called when a server ends unexpectedly. */
  onGone?: (name: string, code: number, part: Part) => void
}

/** Servers that Reticle needs. */
const backends: Record<string, PartMaker> = {
  kafka: kafkaPart,
  minio: minioPart,
  postgres: postgresPart,
}

/** Also servers that only tests use: a second S3 server, and buckets of users. */
export const localMakers: Record<string, PartMaker> = {
  ...backends,
  versitygw: versitygwPart,
  azurite: azuritePart,
  gcs: gcsPart,
}

/**
 * Starts real servers on free loopback ports, which stay the same through every restart.
 * @throws MissingTool if java, mvn or go is needed and not installed; Error with the end of a server's log
 */
export function startParts(options: StartOptions<ServerPart> = {}): Promise<StartedParts> {
  return startPartsWith(localMakers, options)
}

/** Starts servers as `startParts`, some of which may be containers. */
export async function startPartsWith<Part extends AnyPart>(
  makers: Readonly<Record<string, PartMaker<Part>>>,
  { names = Object.keys(backends), folder: given, onGone }: StartOptions<Part>,
): Promise<StartedParts<Part>> {
  const folder = given ?? (await temporaryFolder())
  const logs = join(folder, 'logs')
  await mkdir(logs, { recursive: true })

  const parts: Record<string, Part> = {}
  const stop = async () => {
    await Promise.all(Object.values(parts).map((part) => part.stop().then(part.remove)))
    if (!given) await rm(folder, { recursive: true, force: true })
  }
  const started = await Promise.allSettled(
    names.map(async (name) => {
      const make = makers[name]
      if (!make) throw new Error(`there is no server ${name}`)
      const part: Part = await make(join(folder, name), logs, (code) => onGone?.(name, code, part))
      parts[name] = part
      await reportProgress(`Starting ${name}`, part.start)
    }),
  )
  // Only after all have started, because stopping would miss one that is still starting.
  const failed = started.find((one) => one.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  const env: Record<string, string> = {}
  for (const part of Object.values(parts)) Object.assign(env, part.env())
  return { env, logs, parts, stop }
}

/** Named after its process, so that the next start can remove the folder of a killed one. */
async function temporaryFolder(): Promise<string> {
  const left = (await readdir(tmpdir())).filter((name) => {
    const [, pid] = /^reticle-parts-(\d+)-/.exec(name) ?? []
    return pid && !isAlive(Number(pid))
  })
  for (const name of left) await rm(join(tmpdir(), name), { recursive: true, force: true })
  const folder = await mkdtemp(join(tmpdir(), `reticle-parts-${process.pid}-`))
  await chmod(folder, 0o755) // the account of the database must be able to enter the folder
  return folder
}
