import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StandaloneConfig } from '../config.ts'
import { lockDataDir } from '../data-dir/lock.ts'
import { assertFinished } from '../data-dir/unfinished.ts'
import { runningPostgres, startPostgres } from '../postgres/server.ts'

/**
 * Runs `work` with the administrator's address of the database: `RETICLE_DATABASE_URL`, or the embedded one, which is
 * started for that time unless a running Reticle already has it.
 *
 * @throws Error with one sentence when the data directory is missing
 */
export async function withDatabase<R>(
  { databaseUrl, dataDir }: Pick<StandaloneConfig, 'databaseUrl' | 'dataDir'>,
  work: (url: string) => Promise<R>,
): Promise<R> {
  if (databaseUrl) return work(databaseUrl)
  assertHasDatabase(dataDir)
  return withLock(dataDir, async (isOurs) => {
    await assertFinished(dataDir)
    if (!isOurs) return work(await urlOfRunning(dataDir))
    const postgres = await startPostgres({ dataDir })
    return work(postgres.url).finally(postgres.stop)
  })
}

/**
 * Checks that the directory contains an embedded database.
 *
 * @throws Error with one sentence when it does not
 */
export function assertHasDatabase(dataDir: string): void {
  if (existsSync(join(dataDir, 'postgres-password'))) return
  throw new Error(
    `there is no database of Reticle in ${dataDir}: name its directory with RETICLE_DATA_DIR, or the database with RETICLE_DATABASE_URL`,
  )
}

/** Runs `work` with the lock of the directory, or without it when a running Reticle holds it. */
async function withLock<R>(dataDir: string, work: (isOurs: boolean) => Promise<R>): Promise<R> {
  const unlock = await lockDataDir(dataDir).catch((thrown) => {
    if (existsSync(join(dataDir, 'lock'))) return undefined
    throw thrown
  })
  return work(unlock !== undefined).finally(unlock)
}

async function urlOfRunning(dataDir: string): Promise<string> {
  const url = await runningPostgres(dataDir)
  if (url) return url
  throw new Error(`the Reticle on ${dataDir} is just starting or stopping: try again in a moment`)
}
