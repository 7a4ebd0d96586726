import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './reticle.ts'

/** What tests use of `deploy/local`, which is plain JavaScript outside of every package: typed here, loaded by path. */
interface Launcher {
  findParts: () => Promise<FoundParts>
}

export interface FoundParts {
  /** Settings that the environment did not have. */
  env: Record<string, string>
  /** In words: `containers`, `deploy/local`, `the environment`. */
  source: string
  stop: () => Promise<void>
}

const load = (file: string) => import(pathToFileURL(join(root, 'deploy/local', file)).href)

/** The real servers in the order of `design.md` 3. @throws Error naming the tool that is missing */
export async function findParts(): Promise<FoundParts> {
  const launcher: Launcher = await load('find.mjs')
  return launcher.findParts()
}
