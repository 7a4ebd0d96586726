import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { azuritePart } from './azurite.mjs'
import { isAlive } from './cache.mjs'
import { gcsPart } from './gcs.mjs'
import { kafkaPart } from './kafka.mjs'
import { minioPart } from './minio.mjs'
import { postgresPart } from './postgres.mjs'
import { reportProgress } from './tools.mjs'
import { versitygwPart } from './versitygw.mjs'

/** Servers that Reticle needs. */
const backends = { kafka: kafkaPart, minio: minioPart, postgres: postgresPart }

/** Also servers that only tests use: a second S3 server, and buckets of users. */
export const localMakers = {
  ...backends,
  versitygw: versitygwPart,
  azurite: azuritePart,
  gcs: gcsPart,
}

/**
 * Starts real servers (the backends, or those of `names`) on free loopback ports, which stay the same through every
 * restart. Data goes to `folder`, by default a temporary one, logs to its folder `logs`. `onGone(name, code, part)` is
 * called when one ends unexpectedly.
 *
 * @returns `{env, logs, parts, stop}` with `parts[name].{start, stop, kill, pause, resume, restart}`
 * @throws MissingTool if java, mvn or go is needed and not installed; Error with the end of a server's log
 */
export async function startParts({
  names = Object.keys(backends),
  makers = localMakers,
  folder: given,
  onGone,
} = {}) {
  const folder = given ?? (await temporaryFolder())
  const logs = join(folder, 'logs')
  await mkdir(logs, { recursive: true })

  const parts = {}
  const stop = async () => {
    await Promise.all(Object.values(parts).map((part) => part.stop().then(part.remove)))
    if (!given) await rm(folder, { recursive: true, force: true })
  }
  const started = await Promise.allSettled(
    names.map(async (name) => {
      const onExit = (code) => onGone?.(name, code, parts[name])
      parts[name] = await makers[name](join(folder, name), logs, onExit)
      await reportProgress(`Starting ${name}`, parts[name].start)
    }),
  )
  // Only after all have started, because stopping would miss one that is still starting.
  const failed = started.find(({ status }) => status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  const env = Object.assign({}, ...Object.values(parts).map((part) => part.env()))
  return { env, logs, parts, stop }
}

/** Named after its process, so that the next start can remove the folder of a killed one. */
async function temporaryFolder() {
  const left = (await readdir(tmpdir())).filter((name) => {
    const [, pid] = /^reticle-parts-(\d+)-/.exec(name) ?? []
    return pid && !isAlive(Number(pid))
  })
  for (const name of left) await rm(join(tmpdir(), name), { recursive: true, force: true })
  const folder = await mkdtemp(join(tmpdir(), `reticle-parts-${process.pid}-`))
  await chmod(folder, 0o755) // the account of the database must be able to enter the folder
  return folder
}
