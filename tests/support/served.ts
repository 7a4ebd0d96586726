import { afterAll, beforeAll } from 'vitest'
import { dataDirectory, type Reticle, startReticle } from './reticle.ts'

/** What a story needs of a system that it only calls. */
export type Served = Pick<Reticle, 'url' | 'admin' | 'people'>

/**
 * A Reticle of the file or `describe` that asks, started before its tests and stopped after them. Its members are there while
 * tests and hooks run.
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
