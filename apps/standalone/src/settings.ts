import * as annotations from '@reticle/annotations-svc'
import * as gateway from '@reticle/gateway'
import * as jobs from '@reticle/jobs-svc'
import { ConfigError, type Env } from '@reticle/kit/config'
import { namesOf } from '@reticle/kit/process/parts'
import { processPart } from '@reticle/kit/process/settings'
import * as projects from '@reticle/projects-svc'
import * as webhooks from '@reticle/webhooks-svc'
import * as standalone from './config.ts'

const services = {
  gateway,
  'projects-svc': projects,
  'annotations-svc': annotations,
  'jobs-svc': jobs,
  'webhooks-svc': webhooks,
}
const parts = [...Object.values(services), standalone]

/** What each process of a cluster reads, and the embedded mode: names of environment variables. */
export const settingsByProcess: Record<string, readonly string[]> = {
  ...Object.fromEntries(
    Object.entries(services).map(([name, { processParts }]) => [
      name,
      namesOf({ ...processParts, common: processPart }),
    ]),
  ),
  standalone: [...new Set(parts.flatMap((part) => part.settingNames))],
}

/** Made on the first start; until then any will do for reading the rest. */
const someKey = 'k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='

/**
 * Reads the settings of every part before anything is started.
 *
 * @throws ConfigError that names the bad variables of all parts at once
 */
export function readSettings(env: Env): standalone.Config {
  const problems = parts.flatMap(({ readConfig }) => {
    try {
      readConfig({ RETICLE_SECRET_KEYS: someKey, ...env })
      return []
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown
      return thrown.problems
    }
  })
  if (problems.length > 0) throw new ConfigError([...new Set(problems)])
  return standalone.readConfig(env)
}

/** Names that look like settings of ours and are none: most likely misspelt. */
export function unknownSettings(env: Env): string[] {
  const known = new Set(settingsByProcess.standalone)
  const isOurs = (name: string) => name.startsWith('RETICLE_') && !name.startsWith('RETICLE_TEST_')
  return Object.keys(env).filter((name) => isOurs(name) && !known.has(name))
}
