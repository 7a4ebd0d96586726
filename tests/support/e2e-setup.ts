import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirectory, startReticle } from './reticle.ts'
import { startSharedServers } from './shared-servers.ts'

/**
 * Global setup of the project `e2e`: a data directory as a first start leaves it, copied by each server of the tests,
 * and the servers that test files share. Keys are omitted, because every installation creates its own.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const { path, remove } = dataDirectory()
  const reticle = await startReticle(path)
  await reticle.stop()
  for (const key of ['installation-key', 'secret-keys']) rmSync(join(path, key))
  // The database is in another place if its account cannot access this folder (`postgres/home.ts` of standalone), and
  // cannot be copied then.
  const isWhole = existsSync(join(path, 'postgres/data'))
  if (isWhole && process.platform !== 'win32') process.env.RETICLE_TEST_STARTED_ONCE = path
  const shared = await startSharedServers()
  process.env.RETICLE_TEST_SHARED_SERVERS = shared.url
  return async () => {
    await shared.stop()
    remove()
  }
}
