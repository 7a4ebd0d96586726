import { readEnv, setting } from '@reticle/kit/config'
import { addressPart, databasePart, internalPart, kafkaNeeded } from '@reticle/kit/process/settings'
import { z } from 'zod'

/** What annotations-svc is told at start (`reliability.md` 16.5). */
export interface AnnotationsSettings {
  /** Values of attributes are checked against the type of their attribute. */
  strictAttributes: boolean
  /** Tags, shapes and tracks of one request at most. */
  maxObjects: number
  /** How long a write waits for another one of the same job (`spec/api-annotations.md` 1.12). */
  lockWaitMs: number
}

const variables = z.object({
  RETICLE_ANNOTATIONS_STRICT_ATTRIBUTES: setting.flag(true),
  RETICLE_ANNOTATIONS_MAX_OBJECTS: z.coerce.number().int().min(1).default(1_000_000),
})

/** Names of environment variables that mean something here. */
export const settingNames = Object.keys(variables.shape)

/** @throws ConfigError naming every variable that cannot be used */
export function readConfig(env: Record<string, string | undefined>): AnnotationsSettings {
  const read = readEnv(variables, env)
  return {
    strictAttributes: read.RETICLE_ANNOTATIONS_STRICT_ATTRIBUTES,
    maxObjects: read.RETICLE_ANNOTATIONS_MAX_OBJECTS,
    lockWaitMs: 10_000,
  }
}

/** What the process of this service reads. */
export const processParts = {
  settings: Object.assign(readConfig, { names: settingNames }),
  database: databasePart('ANNOTATIONS'),
  kafka: kafkaNeeded,
  internal: internalPart,
  projects: addressPart('PROJECTS'),
}

/** The environment of this process. */
export const environment: Record<string, string | undefined> = process.env
