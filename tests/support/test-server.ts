import { afterAll, beforeAll } from 'vitest'
import { dataDirectory, type Reticle, startReticle } from './reticle.ts'

/** The parts of a server that a test which only makes calls needs. */
export type ServerUnderTest = Pick<Reticle, 'url' | 'admin' | 'people'>

/**
 * Starts a server before the tests of the calling file or `describe`, and stops it after them. Its properties can be
 * used while tests and hooks run.
 */
export function useTestServer(
  env: Record<string, string> = {},
): ServerUnderTest & { path: string; restart: () => Promise<void> } {
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
