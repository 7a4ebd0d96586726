import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { lockDataDir } from '../data-dir/lock.ts'
import { type Postgres, startPostgres } from '../postgres/server.ts'

/**
 * Starts the PostgreSQL of a test run: an embedded one without fsync, or uses a running one.
 * @param given address of the running one
 */
export async function startTestPostgres(
  given: string | undefined,
): Promise<Postgres & { prefix: string }> {
  const prefix = `t_${randomBytes(4).toString('hex')}_`
  if (given) return { url: given, prefix, stop: () => dropAll(given, prefix) }
  await removeLeftBehind()
  const dataDir = await mkdtemp(join(tmpdir(), dataDirName))
  await chmod(dataDir, 0o755)
  return { ...(await startIn(dataDir)), prefix }
}

const dataDirName = 'reticle-test-'
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  recovery_init_sync_method: 'syncfs',
  shared_buffers: '64MB',
}

async function startIn(dataDir: string): Promise<Postgres> {
  const unlock = await lockDataDir(dataDir)
  const { url, stop } = await startPostgres({ dataDir, settings })
  return {
    url,
    stop: async () => {
      await stop()
      await unlock()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * A run that was killed could not stop its server. Starting in its folder stops the old server, and then stops again.
 */
async function removeLeftBehind(): Promise<void> {
  const names = await readdir(tmpdir())
  for (const name of names.filter((entry) => entry.startsWith(dataDirName))) {
    const left = await startIn(join(tmpdir(), name)).catch(() => undefined)
    await left?.stop()
  }
}

async function dropAll(url: string, prefix: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  const { rows } = await admin.query(
    'select datname from pg_database where starts_with(datname, $1)',
    [prefix],
  )
  for (const { datname } of rows)
    await admin.query(`drop database if exists ${datname} with (force)`)
  await admin.end()
}
