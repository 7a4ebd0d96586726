import { afterAll, beforeAll } from 'vitest'
import { dataDirectory, type Reticle, startReticle } from './reticle.ts'

/** The parts of a server that a test which only makes calls needs. */
export type Served = Pick<Reticle, 'url' | 'admin' | 'people'>

/**
 * Starts a server before the tests of the calling file or `describe`, and stops it after them. Its properties can be
 * used while tests and hooks run.
 */
export function served(
  env: Record<string, string> = {},
): Served & { path: string; restart: () => Promise<void> } {
  const { path, remove } = dataDirectory()
  let reticle: Reticle
  beforeAll(async () => {
    reticle = await startReticle(path, env)
  })
  afterAll(async () => {
    await reticle.stop()
    remove()
  })
  return {
    /** Its data directory. */
    path,
    get url() {
      return reticle.url
    },
    get admin() {
      return reticle.admin
    },
    people: () => reticle.people(),
    restart: async () => {
      await reticle.stop()
      reticle = await startReticle(path, env)
    },
  }
}
