import * as annotations from '@reticle/annotations-svc'
import * as gateway from '@reticle/gateway'
import * as jobs from '@reticle/jobs-svc'
import { processPart } from '@reticle/kit/process/settings'
import type { Env } from '@reticle/kit/settings/config'
import { namesOf, readParts } from '@reticle/kit/settings/parts'
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
/** Readers of the single-process mode: its own settings, and those of each service. */
const embedded = Object.fromEntries(
  Object.entries({ ...services, standalone }).map(([name, { readConfig }]) => [name, readConfig]),
)

/** Names of environment variables by process of a cluster, and for the single-process mode. */
export const settingsByProcess: Record<string, readonly string[]> = {
  ...Object.fromEntries(
    Object.entries(services).map(([name, { processParts }]) => [
      name,
      namesOf({ ...processParts, common: processPart }),
    ]),
  ),
  standalone: namesOf(embedded),
}

/** Valid placeholder for a key that the first start creates, for reading the other settings. */
const someKey = 'k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='

/**
 * Reads the settings of every part before anything is started.
 *
 * @throws ConfigError that names the invalid variables of all parts
 */
export function readSettings(env: Env): standalone.StandaloneConfig {
  readParts(embedded, { RETICLE_SECRET_KEYS: someKey, ...env })
  return standalone.readConfig(env)
}

/** Variables of the command line (docs/cli.md), which may be set in the same shell. */
const ofCommandLine = ['URL', 'PROFILE', 'ORGANIZATION', 'SOURCE_TOKEN', 'CONFIG_DIR', 'CACHE_DIR']

/** Returns variables with our prefix that are not settings, and so probably misspelt. */
export function unknownSettings(env: Env): string[] {
  const others = ofCommandLine.map((name) => `RETICLE_${name}`)
  const known = new Set([...(settingsByProcess.standalone ?? []), ...others])
  const isOurs = (name: string) => name.startsWith('RETICLE_') && !name.startsWith('RETICLE_TEST_')
  return Object.keys(env).filter((name) => isOurs(name) && !known.has(name))
}
