import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirectory, startReticle } from './reticle.ts'

/**
 * Global setup of the project `e2e`: a data directory as a first start leaves it, of which each Reticle of the stories has a
 * copy. Without the keys, which every installation makes for itself.
 */
export default async function setup(): Promise<() => void> {
  const { path, remove } = dataDirectory()
  const reticle = await startReticle(path)
  await reticle.stop()
  for (const key of ['installation-key', 'secret-keys']) rmSync(join(path, key))
  // Elsewhere where the account of the database cannot come here (`postgres-home.ts`): no copy can be made of that.
  const isWhole = existsSync(join(path, 'postgres/data'))
  if (isWhole && process.platform !== 'win32') process.env.RETICLE_TEST_STARTED_ONCE = path
  return remove
}
