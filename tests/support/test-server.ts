import { afterAll, beforeAll } from 'vitest'
import {
  dataDirectory,
  type Reticle,
  type ServerUnderTest,
  shareReticle,
  startReticle,
} from './reticle.ts'

/**
 * Uses the shared server (`shareReticle`) for the tests of the calling file or `describe`. Its properties can be used
 * while tests and hooks run.
 */
export function useTestServer(): ServerUnderTest {
  let reticle: ServerUnderTest
  beforeAll(async () => {
    reticle = await shareReticle()
  })
  return {
    get url() {
      return reticle.url
    },
    get admin() {
      return reticle.admin
    },
    people: () => reticle.people(),
  }
}

/**
 * Starts a server before the tests of the calling file or `describe`, and stops it after them. Its properties can be
 * used while tests and hooks run.
 */
export function useOwnServer(
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
